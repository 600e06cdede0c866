package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;

/**
 * The sampling rate that a record tells: one packet in so many. Selectors have several ways to say
 * it (RFC 5477 section 8.2); an interval of 0 says that nothing is left out.
 */
final class Sampling {
  /** The record says nothing of sampling. */
  static final int UNTOLD = 0;

  private Sampling() {}

  /** Whether records of the plan's template may tell their rate. */
  static boolean isTold(FieldPlan plan) {
    return plan.has(FlowField.SAMPLING_INTERVAL)
        || plan.has(FlowField.SAMPLED_PACKETS)
        || plan.has(FlowField.SAMPLE_POPULATION)
        || plan.has(FlowField.SAMPLING_PROBABILITY);
  }

  /** The rate, of at least 1, or {@link #UNTOLD}. The record's fields are at base + offset[i]. */
  static int rate(FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    int i = plan.step(FlowField.SAMPLING_INTERVAL);
    if (i >= 0 && length[i] > 0) {
      return bounded(Numbers.number(b, base + offset[i], length[i]));
    }
    long sampled = value(plan, FlowField.SAMPLED_PACKETS, b, base, offset, length);
    long unsampled = value(plan, FlowField.UNSAMPLED_PACKETS, b, base, offset, length);
    if (sampled > 0) {
      return bounded(unsampled < 0 ? sampled : (sampled + unsampled) / sampled);
    }
    long size = value(plan, FlowField.SAMPLE_SIZE, b, base, offset, length);
    long population = value(plan, FlowField.SAMPLE_POPULATION, b, base, offset, length);
    if (population > 0 && size != 0) {
      return bounded(size < 0 ? population : population / size);
    }
    i = plan.step(FlowField.SAMPLING_PROBABILITY);
    if (i >= 0) {
      int at = base + offset[i];
      double p =
          length[i] == 8
              ? Double.longBitsToDouble(i64(b, at))
              : length[i] == 4 ? Float.intBitsToFloat(i32(b, at)) : 0;
      if (p > 0 && p <= 1) {
        return bounded(Math.round(1 / p));
      }
    }
    return UNTOLD;
  }

  private static long value(
      FieldPlan plan, FlowField field, byte[] b, int base, int[] offset, int[] length) {
    int i = plan.step(field);
    return i < 0 ? -1 : Numbers.number(b, base + offset[i], length[i]);
  }

  private static int bounded(long rate) {
    return (int) Math.max(1, Math.min(rate, Integer.MAX_VALUE));
  }
}
