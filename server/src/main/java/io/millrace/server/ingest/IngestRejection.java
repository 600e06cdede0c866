package io.millrace.server.ingest;

import io.millrace.server.metrics.RejectionCounts;

/** Reason of a rejected request, frame or connection of a sender of records. */
public enum IngestRejection implements RejectionCounts.Reason {
  /** Missing or unknown token. */
  TOKEN(
      "missing or invalid token",
      "configure the sender with a token of ingest.token-file or ingest.key-tokens"),
  /** Rate limit. */
  RATE("more records a second than ingest.max-rate", "raise the limit if the sender is legitimate"),
  /** Connection limit. */
  CONNECTIONS(
      "more connections than ingest.max-connections-each",
      "raise the limit if many senders share one address"),
  /** Back-pressure of the log. */
  LOG(
      "the log is slower than the senders",
      "check its disk for space and speed, or the brokers of --kafka"),
  /** Memory share exceeded. */
  MEMORY(
      "its unfinished requests fill its share of ingest.buffer",
      "send fewer requests concurrently, or raise the limit"),
  /** Size limit. */
  SIZE(
      "larger than ingest.max-body (also after decompression) or than a log value",
      "send fewer records per request"),
  /** Too slow for the memory that it occupies. */
  SLOW("body or message slower than 1 KiB a second", "send fewer records per request"),
  /** Acknowledgements unread. */
  UNREAD("the client is not reading acknowledgements", "fix the client to read acknowledgements"),
  /** Invalid request. */
  REQUEST(
      "unknown path, method, media type or parameter",
      "the response says which; see /ingest/openapi.json");

  private final String cause;
  private final String advice;

  IngestRejection(String cause, String advice) {
    this.cause = cause;
    this.advice = advice;
  }

  @Override
  public String cause() {
    return cause;
  }

  @Override
  public String advice() {
    return advice;
  }
}
