package io.millrace.wire.netflow;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;

/**
 * Conversion of the exporter's times to microseconds since the epoch. Times before 1990 or more
 * than a day after the export are {@link FlowBlock#NULL}: exporters without a set clock send them.
 * An end before the start is kept, since either may be wrong.
 */
final class FlowTimes {
  private static final long MICROS = 1_000_000;
  private static final long EARLIEST = 631_152_000L * MICROS;
  private static final long DAY = 86_400L * MICROS;

  /** Largest value in seconds or milliseconds that can be multiplied without overflow. */
  private static final long MAX = Long.MAX_VALUE / MICROS;

  /** Seconds from NTP's epoch, 1900, to 1970. */
  private static final long NTP_OFFSET = 2_208_988_800L;

  private FlowTimes() {}

  /**
   * Reads times; returns whether any is impossible. Such a time is null, or unchanged in an
   * overlay.
   */
  static boolean read(
      FlowField.Kind kind,
      boolean isOverlay,
      byte[] b,
      int at,
      int step,
      int length,
      long exportMicros,
      int uptime,
      long[] out,
      int from,
      int to) {
    boolean hasNull = false;
    for (int i = from; i < to; i++, at += step) {
      long number = Numbers.number(b, at, length);
      if (number < 0 && kind != FlowField.Kind.NTP) {
        out[i] = isOverlay ? out[i] : FlowBlock.NULL; // empty or too large
        hasNull = true;
        continue;
      }
      long micros =
          switch (kind) {
            case UPTIME -> ofUptime((int) number, exportMicros, uptime);
            case DELTA -> exportMicros - number;
            case SECONDS -> number > MAX ? FlowBlock.NULL : number * MICROS;
            case MILLIS -> number > MAX ? FlowBlock.NULL : number * 1000;
            default -> length == 8 ? ofNtp(number) : FlowBlock.NULL;
          };
      long sound = sound(micros, exportMicros);
      out[i] = isOverlay && sound == FlowBlock.NULL ? out[i] : sound;
      hasNull |= sound == FlowBlock.NULL;
    }
    return hasNull;
  }

  /**
   * Corrects start and end that are both after the uptime at export, with one of them impossible:
   * the exporter counts from another moment, but the difference is valid. The flow's end is kept if
   * it is possible, or else set to the export time; the start is set to the difference before the
   * end.
   */
  static void beyondUptime(
      byte[] b,
      int startAt,
      int startLength,
      int endAt,
      int endLength,
      int step,
      long exportMicros,
      int uptime,
      FlowBlock block,
      int from,
      int to) {
    long[] start = block.longs(FlowColumn.FLOW_START);
    long[] end = block.longs(FlowColumn.FLOW_END);
    for (int i = from; i < to; i++, startAt += step, endAt += step) {
      if (start[i] != FlowBlock.NULL && end[i] != FlowBlock.NULL) {
        continue;
      }
      long first = Numbers.number(b, startAt, startLength);
      long last = Numbers.number(b, endAt, endLength);
      long now = Integer.toUnsignedLong(uptime);
      if (first > now && last > now) {
        end[i] = end[i] == FlowBlock.NULL ? sound(exportMicros, exportMicros) : end[i];
        long difference = (int) (last - first) * 1000L;
        start[i] =
            end[i] == FlowBlock.NULL ? FlowBlock.NULL : sound(end[i] - difference, exportMicros);
      }
    }
  }

  static void byDuration(
      byte[] b, int at, int step, int length, int unitMicros, FlowBlock block, int from, int to) {
    long[] start = block.longs(FlowColumn.FLOW_START);
    long[] end = block.longs(FlowColumn.FLOW_END);
    for (int i = from; i < to; i++, at += step) {
      long duration = Numbers.number(b, at, length);
      if (duration < 0 || duration > DAY * 366 / unitMicros) {
        continue;
      }
      if (end[i] == FlowBlock.NULL && start[i] != FlowBlock.NULL) {
        end[i] = start[i] + duration * unitMicros;
      } else if (start[i] == FlowBlock.NULL && end[i] != FlowBlock.NULL) {
        start[i] = end[i] - duration * unitMicros;
      }
    }
  }

  /**
   * Time of an uptime. Uptimes wrap after 49.7 days, so only their signed difference is reliable.
   */
  static long ofUptime(int value, long exportMicros, int uptimeAtExport) {
    return exportMicros + (value - uptimeAtExport) * 1000L;
  }

  /** NTP's 32.32 bits (RFC 5905), rounded; seconds below 2³¹ belong to the era from 2036. */
  static long ofNtp(long ntp) {
    long seconds = ntp >>> 32;
    long era = ntp < 0 ? 0 : 1L << 32;
    long micros = ((ntp & 0xFFFF_FFFFL) * MICROS + (1L << 31)) >>> 32;
    return (seconds + era - NTP_OFFSET) * MICROS + micros;
  }

  private static long sound(long micros, long exportMicros) {
    return micros >= EARLIEST && micros <= exportMicros + DAY ? micros : FlowBlock.NULL;
  }
}
