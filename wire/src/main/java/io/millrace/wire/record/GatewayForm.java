package io.millrace.wire.record;

import java.util.List;
import java.util.Locale;

/** Meaning of the two numbers of a record. */
public enum GatewayForm {
  /** Bytes since the gateway's previous record. */
  COUNTER,
  /** A running counter, which wraps at a maximum and restarts with the gateway. */
  CUMULATIVE,
  /** Bytes per second since the gateway's previous record. */
  RATE;

  /** In the order of their codes. */
  public static final List<GatewayForm> ALL = List.of(values());

  static final int UNSPECIFIED = 0;

  /** Number of the form in blocks, in Avro and in the log; 1 and more, never changes. */
  public int code() {
    return ordinal() + 1;
  }

  /** The form with that code. */
  public static GatewayForm of(int code) {
    return ALL.get(code - 1);
  }

  /** Name in JSON and in paths: {@code counter}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
