package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;

/**
 * The sampling rate that a record tells: one packet in so many, rounded to the nearest, of at most
 * {@link FlowBounds#MOST_RATE}.
 *
 * <p>An interval of version 9 (elements 34 and 50) is the rate itself; 0 says that nothing is left
 * out. IPFIX' selectors say it by their parameters (RFC 5477 section 8.2), and which of them count
 * by selectorAlgorithm; where that is not told, the first whole pair does:
 *
 * <pre>
 *   1 systematic, by count    (samplingPacketInterval + samplingPacketSpace) / samplingPacketInterval
 *   2 systematic, by time     (samplingTimeInterval + samplingTimeSpace) / samplingTimeInterval
 *   3 random n out of N       samplingPopulation / samplingSize
 *   4 uniform probability     1 / samplingProbability
 *   5 to 8 filters            no rate: what they leave out is not to be made up for
 * </pre>
 *
 * <p>One half of a pair tells nothing.
 */
final class Sampling {
  /** The record says nothing of sampling. */
  static final int UNTOLD = 0;

  /** The record tells a rate that cannot be: the value of a column for what is not known. */
  static final int IMPOSSIBLE = FlowBlock.NULL;

  private static final int BY_COUNT = 1;
  private static final int BY_TIME = 2;
  private static final int N_OUT_OF_N = 3;
  private static final int BY_PROBABILITY = 4;
  private static final int LAST_FILTER = 8;

  private Sampling() {}

  /** Whether records of the plan's template may tell their rate. */
  static boolean isTold(FieldPlan plan) {
    return plan.has(FlowField.SAMPLING_INTERVAL)
        || plan.has(FlowField.SAMPLED_PACKETS)
        || plan.has(FlowField.SAMPLED_TIME)
        || plan.has(FlowField.SAMPLE_POPULATION)
        || plan.has(FlowField.SAMPLING_PROBABILITY);
  }

  /**
   * The rate, of at least 1, {@link #UNTOLD} or {@link #IMPOSSIBLE}. The record's fields are at
   * base + offset[i].
   */
  static int rate(FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    int i = plan.step(FlowField.SAMPLING_INTERVAL);
    if (i >= 0 && length[i] >= 1 && length[i] <= 8) {
      return bounded(unsigned(Numbers.number(b, base + offset[i], length[i])));
    }
    double algorithm = value(plan, FlowField.SELECTOR_ALGORITHM, b, base, offset, length);
    if (algorithm >= BY_COUNT && algorithm <= LAST_FILTER) {
      return byAlgorithm((int) algorithm, plan, b, base, offset, length);
    }
    int rate = UNTOLD;
    for (int a = BY_COUNT; a <= BY_PROBABILITY && rate == UNTOLD; a++) {
      rate = byAlgorithm(a, plan, b, base, offset, length);
    }
    return rate;
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
      default -> UNTOLD;
    };
  }

  private static int probability(FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    int i = plan.step(FlowField.SAMPLING_PROBABILITY);
    if (i < 0) {
      return UNTOLD;
    }
    int at = base + offset[i];
    double p =
        length[i] == 8
            ? Double.longBitsToDouble(i64(b, at))
            : length[i] == 4 ? Float.intBitsToFloat(i32(b, at)) : 0;
    return p > 0 && p <= 1 ? bounded(1 / p) : UNTOLD;
  }

  /** Of what is missing or 0 there is no ratio. */
  private static int ratio(double all, double taken) {
    return taken > 0 && all > 0 ? bounded(all / taken) : UNTOLD;
  }

  /** A number of the record; NaN if it is missing. */
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

  private static int bounded(double rate) {
    long rounded = Math.max(1, Math.round(rate));
    return FlowBounds.isRate(rounded) ? (int) rounded : IMPOSSIBLE;
  }
}
