package io.millrace.server.ingest;

import java.util.Locale;

/** Why a sender was refused something. */
public enum IngestRefusal {
  /** The token is missing or wrong. */
  TOKEN,
  /** More records a second than {@code ingest.max-rate}. */
  RATE,
  /** The log is slower than the senders. */
  LOG,
  /** What it has begun and not ended takes its share of {@code ingest.buffer}. */
  MEMORY,
  /** Longer than {@code ingest.max-body}, also unpacked, or than the log takes at once. */
  SIZE,
  /** It does not read what it is told. */
  UNREAD,
  /** Another path, method, media type or parameter than there is. */
  REQUEST;

  /** As it stands in metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
