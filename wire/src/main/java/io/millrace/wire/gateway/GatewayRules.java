package io.millrace.wire.gateway;

import io.millrace.wire.record.Utf8;

final class GatewayRules {
  static final int MOST_ID_BYTES = 64;

  /** The year 2000; values in seconds or microseconds are outside of 2000 to 2100. */
  static final long FIRST_MILLIS = 946_684_800_000L;

  static final long LAST_MILLIS = 4_102_444_800_000L;

  /**
   * Maximum rate: 8 Tbit/s, in bytes per second; its product with the seconds of a week is still a
   * long.
   */
  static final long MOST_RATE = 1_000_000_000_000L;

  /**
   * A billion gigabytes, eleven days at that rate. The sum of sent and received is still a long.
   */
  static final long MOST_BYTES = 1_000_000_000_000_000_000L;

  static final long MICROS = 1_000;

  static final String WRONG_ID =
      "expected 1 to 64 bytes of UTF-8 without control characters and unpaired surrogates";
  static final String WRONG_DATE =
      "expected milliseconds since the epoch, from the year 2000 to 2100";
  static final String WRONG_RATE = "expected a rate of 0 to 1,000,000,000,000 bytes per second";
  static final String WRONG_NUMBER = "expected a number from 0 to 1,000,000,000,000,000,000";
  static final String WRONG_FORM = "expected counter, cumulative or rate";
  static final String NO_FORM = "missing in both the record and the path";
  static final String MISSING = "missing";

  private GatewayRules() {}

  static boolean isId(byte[] bytes, int start, int length) {
    return length >= 1
        && length <= MOST_ID_BYTES
        && Utf8.isValid(bytes, start, length)
        && !Utf8.hasControls(bytes, start, length);
  }

  /** The present field of numbers that is invalid; null if there is none. */
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

  static String reason(String field, int form) {
    return switch (field) {
      case "date" -> WRONG_DATE;
      case "form" -> NO_FORM;
      default -> form == GatewayForm.RATE.code() ? WRONG_RATE : WRONG_NUMBER;
    };
  }
}
