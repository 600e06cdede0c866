package io.millrace.server.ingest;

import io.millrace.server.api.Refusals;
import java.util.Locale;

/** Why a sender was refused something. */
public enum IngestRefusal implements Refusals.Reason {
  /** No token that is known. */
  TOKEN("its token is missing or wrong", "give it one of ingest.token or ingest.gateway-tokens"),
  /** More than it may send. */
  RATE("more records a second than ingest.max-rate", "raise that if it is one of yours"),
  /** More than it may have. */
  CONNECTIONS(
      "more connections at a time than ingest.max-connections-each",
      "raise that if many of your gateways come through one address"),
  /** This side cannot take it; the sender is not at fault. */
  LOG(
      "the log is slower than the senders",
      "see whether its disk is full or slow, or look at the brokers of --kafka"),
  /** More than its share of memory. */
  MEMORY(
      "what it has begun and not ended takes its share of ingest.buffer",
      "let it send fewer requests at a time, or raise that"),
  /** Longer than one body may be. */
  SIZE(
      "longer than ingest.max-body, also unpacked, or than a value of the log",
      "let it send fewer records at a time"),
  /** Less than it has to send while memory is held for it. */
  SLOW(
      "it sends a body or message more slowly than 1 KiB a second",
      "let it send fewer records at a time"),
  /** What it is told is not read. */
  UNREAD("it does not read what it is told", "mend it: acknowledgements are to be read"),
  /** What is asked for is not there. */
  REQUEST(
      "another path, method, media type or parameter than there is",
      "the answer told which; /v1/gateways/openapi.yaml describes them");

  private final String cause;
  private final String advice;

  IngestRefusal(String cause, String advice) {
    this.cause = cause;
    this.advice = advice;
  }

  /** As it stands in metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
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
