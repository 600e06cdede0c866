package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.RejectReason;

/**
 * Sampling rate of a record: N of 1-in-N sampling, rounded to the nearest, at most {@link
 * FlowBounds#MAX_RATE}.
 *
 * <p>An interval of version 9 (elements 34 and 50) is the rate itself, if samplingAlgorithm (35) is
 * 1, 2 or absent. IPFIX selectors have parameters (RFC 5477 section 8.2), chosen by
 * selectorAlgorithm; without that, the first complete pair counts:
 *
 * <pre>
 *   1 systematic, by count    (samplingPacketInterval + samplingPacketSpace) / samplingPacketInterval
 *   2 systematic, by time     (samplingTimeInterval + samplingTimeSpace) / samplingTimeInterval
 *   3 random n out of N       samplingPopulation / samplingSize
 *   4 uniform probability     1 / samplingProbability
 *   5 to 8 filters            no rate
 * </pre>
 *
 * <p>Half of a pair is no rate, and neither is an interval of 0 without an algorithm. The first
 * valid rate is used; without one, the first invalid one is rejected.
 */
final class Sampling {
  static final int UNKNOWN = 0;

  static final int IMPOSSIBLE = FlowBlock.NULL;

  private static final int BAD_ALGORITHM = -2;

  private static final int BAD_INTERVAL = -3;

  private static final int BAD_RATIO = -4;

  private static final FlowField[] RATE_FIELDS = {
    FlowField.SAMPLING_INTERVAL,
    FlowField.SAMPLER_INTERVAL,
    FlowField.UNSAMPLED_PACKETS,
    FlowField.UNSAMPLED_TIME,
    FlowField.SAMPLE_POPULATION
  };

  private static final int DETERMINISTIC = 1;
  private static final int RANDOM = 2;
  private static final int BY_COUNT = 1;
  private static final int BY_TIME = 2;
  private static final int N_OUT_OF_N = 3;
  private static final int BY_PROBABILITY = 4;
  private static final int LAST_FILTER = 8;

  private Sampling() {}

  static boolean hasRate(FieldPlan plan) {
    return plan.has(FlowField.SAMPLING_INTERVAL)
        || plan.has(FlowField.SAMPLER_INTERVAL)
        || plan.has(FlowField.SAMPLED_PACKETS)
        || plan.has(FlowField.SAMPLED_TIME)
        || plan.has(FlowField.SAMPLE_POPULATION)
        || plan.has(FlowField.SAMPLING_PROBABILITY);
  }

  static RejectReason reason(int rejected) {
    return switch (rejected) {
      case BAD_ALGORITHM -> RejectReason.BAD_SAMPLING_ALGORITHM;
      case BAD_INTERVAL -> RejectReason.BAD_SAMPLING_INTERVAL;
      default -> RejectReason.BAD_SAMPLING_RATIO;
    };
  }

  /** The rate; {@link #UNKNOWN}, or negative if impossible. Fields are at base + offset[i]. */
  static int rate(FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    int rate = interval(plan, b, base, offset, length);
    if (rate > 0) {
      return rate;
    }
    rate = better(rate, samplerInterval(plan, b, base, offset, length));
    if (rate > 0) {
      return rate;
    }
    double algorithm = value(plan, FlowField.SELECTOR_ALGORITHM, b, base, offset, length);
    if (algorithm >= BY_COUNT && algorithm <= LAST_FILTER) {
      return better(rate, byAlgorithm((int) algorithm, plan, b, base, offset, length));
    }
    for (int a = BY_COUNT; a <= BY_PROBABILITY && rate <= 0; a++) {
      rate = better(rate, byAlgorithm(a, plan, b, base, offset, length));
    }
    return rate;
  }

  private static int better(int before, int next) {
    return next > 0 || before == UNKNOWN ? next : before;
  }

  /** The reported rate, valid or not; for messages, at most 2³². */
  static long reportedRate(FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    for (FlowField field : RATE_FIELDS) {
      double value = value(plan, field, b, base, offset, length);
      if (value > 0) {
        return (long) Math.min(value, 0x1p32);
      }
    }
    return 0;
  }

  private static int interval(FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    int i = plan.step(FlowField.SAMPLING_INTERVAL);
    if (i < 0 || length[i] < 1 || length[i] > Long.BYTES) {
      return UNKNOWN;
    }
    long interval = Numbers.number(b, base + offset[i], length[i]);
    int a = plan.step(FlowField.SAMPLING_ALGORITHM);
    boolean hasAlgorithm = a >= 0 && length[a] >= 1 && length[a] <= Long.BYTES;
    long algorithm = hasAlgorithm ? Numbers.number(b, base + offset[a], length[a]) : 0;
    if (hasAlgorithm && algorithm != DETERMINISTIC && algorithm != RANDOM) {
      return algorithm == 0 && (interval == 0 || interval == 1)
          ? UNKNOWN
          : BAD_ALGORITHM; // samples nothing
    }
    return FlowBounds.isRate(interval)
        ? (int) interval
        : interval == 0 && !hasAlgorithm ? UNKNOWN : BAD_INTERVAL;
  }

  private static int samplerInterval(
      FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    double interval = value(plan, FlowField.SAMPLER_INTERVAL, b, base, offset, length);
    return interval > 0 ? bounded(interval, BAD_INTERVAL) : UNKNOWN;
  }

  private static int byAlgorithm(
      int algorithm, FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    return switch (algorithm) {
      case BY_COUNT -> {
        double taken = value(plan, FlowField.SAMPLED_PACKETS, b, base, offset, length);
        double left = value(plan, FlowField.UNSAMPLED_PACKETS, b, base, offset, length);
        yield ratio(taken + left, taken);
      }
      case BY_TIME -> {
        double taken = value(plan, FlowField.SAMPLED_TIME, b, base, offset, length);
        double left = value(plan, FlowField.UNSAMPLED_TIME, b, base, offset, length);
        yield ratio(taken + left, taken);
      }
      case N_OUT_OF_N -> {
        double size = value(plan, FlowField.SAMPLE_SIZE, b, base, offset, length);
        double population = value(plan, FlowField.SAMPLE_POPULATION, b, base, offset, length);
        yield ratio(population, size);
      }
      case BY_PROBABILITY -> probability(plan, b, base, offset, length);
      default -> UNKNOWN;
    };
  }

  private static int probability(FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    int i = plan.step(FlowField.SAMPLING_PROBABILITY);
    if (i < 0) {
      return UNKNOWN;
    }
    int at = base + offset[i];
    double p =
        length[i] == 8
            ? Double.longBitsToDouble(i64(b, at))
            : length[i] == 4 ? Float.intBitsToFloat(i32(b, at)) : 0;
    return p == 0 ? UNKNOWN : p > 0 && p <= 1 ? bounded(1 / p, BAD_RATIO) : BAD_RATIO;
  }

  private static int ratio(double all, double taken) {
    if (Double.isNaN(all + taken) || all + taken == 0) {
      return UNKNOWN;
    }
    return taken > 0 && all >= taken ? bounded(all / taken, BAD_RATIO) : BAD_RATIO;
  }

  /** NaN if the record lacks the field. */
  private static double value(
      FieldPlan plan, FlowField field, byte[] b, int base, int[] offset, int[] length) {
    int i = plan.step(field);
    return i < 0 || length[i] < 1 || length[i] > 8
        ? Double.NaN
        : unsigned(Numbers.number(b, base + offset[i], length[i]));
  }

  private static double unsigned(long number) {
    return number >= 0 ? number : number + 0x1p64;
  }

  private static int bounded(double rate, int rejected) {
    long rounded = Math.round(rate);
    return FlowBounds.isRate(rounded) ? (int) rounded : rejected;
  }
}
