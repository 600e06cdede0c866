package io.millrace.wire.gateway;

import io.millrace.wire.record.Utf8;

/** What a record may hold, whatever it is written in. */
final class GatewayRules {
  /** Longest id of a gateway, in bytes. */
  static final int MOST_ID_BYTES = 64;

  /**
   * The year 2000 and the year 2100: seconds, or microseconds, taken for milliseconds are not
   * between.
   */
  static final long FIRST_MILLIS = 946_684_800_000L;

  static final long LAST_MILLIS = 4_102_444_800_000L;

  /** 8 Tbit/s; times a week of seconds it is a whole number. */
  static final long MOST_RATE = 1_000_000_000_000L;

  /** A billion gigabytes: eleven days of that rate. Sent and received together are a number yet. */
  static final long MOST_BYTES = 1_000_000_000_000_000_000L;

  static final long MICROS = 1_000;

  static final String WRONG_ID =
      "1 to 64 bytes of UTF-8 without control characters and halves of surrogate pairs are expected";
  static final String WRONG_DATE =
      "milliseconds since the epoch, from the year 2000 to 2100, are expected";
  static final String WRONG_RATE = "a rate of 0 to 1,000,000,000,000 bytes a second is expected";
  static final String WRONG_NUMBER = "a number from 0 to 1,000,000,000,000,000,000 is expected";
  static final String WRONG_FORM = "counter, cumulative or rate is expected";
  static final String NO_FORM = "neither the record nor the path says a form";
  static final String MISSING = "is missing";

  private GatewayRules() {}

  /** Whether the bytes are an id. */
  static boolean isId(byte[] bytes, int start, int length) {
    return length >= 1
        && length <= MOST_ID_BYTES
        && Utf8.isValid(bytes, start, length)
        && !Utf8.hasControls(bytes, start, length);
  }

  /** Which field of numbers that are there is wrong; null if none is. */
  static String wrongField(long millis, long tx, long rx, int form) {
    if (millis < FIRST_MILLIS || millis > LAST_MILLIS) {
      return "date";
    }
    long most = form == GatewayForm.RATE.code() ? MOST_RATE : MOST_BYTES;
    if (tx < 0 || tx > most) {
      return "ipTx";
    }
    if (rx < 0 || rx > most) {
      return "ipRx";
    }
    return form < 1 || form > GatewayForm.ALL.size() ? "form" : null;
  }

  /** Why the field of {@link #wrongField} is wrong. */
  static String reason(String field, int form) {
    return switch (field) {
      case "date" -> WRONG_DATE;
      case "form" -> NO_FORM;
      default -> form == GatewayForm.RATE.code() ? WRONG_RATE : WRONG_NUMBER;
    };
  }
}
