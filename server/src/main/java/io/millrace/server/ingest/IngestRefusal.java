package io.millrace.server.ingest;

import java.util.Locale;

/** Why a sender was refused something. */
public enum IngestRefusal {
  /** No token that is known. */
  TOKEN("its token is missing or wrong"),
  /** More than it may send. */
  RATE("more records a second than ingest.max-rate"),
  /** Nobody's fault but ours. */
  LOG("the log is slower than the senders"),
  /** More than its share of memory. */
  MEMORY("what it has begun and not ended takes its share of ingest.buffer"),
  /** Longer than one body may be. */
  SIZE("longer than ingest.max-body, also unpacked, or than a value of the log"),
  /** What it is told is not read. */
  UNREAD("it does not read what it is told"),
  /** What is asked for is not there. */
  REQUEST("another path, method, media type or parameter than there is");

  private final String cause;

  IngestRefusal(String cause) {
    this.cause = cause;
  }

  /** As it stands in metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What the sender does, for a person. */
  public String cause() {
    return cause;
  }
}
