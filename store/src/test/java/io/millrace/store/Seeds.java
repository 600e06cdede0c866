package io.millrace.store;

import java.util.Random;
import java.util.stream.LongStream;

/**
 * Seeds of tests that make random steps: always the same ones, in a long run ({@code
 * -Dmillrace.long=true}) new ones besides, or the one that {@code -Dmillrace.seed=N} names, to
 * repeat a failure.
 */
public final class Seeds {
  private static final int NEW_ONES = 20;

  private Seeds() {}

  /** The fixed ones first. */
  public static LongStream of(long... fixed) {
    Long one = Long.getLong("millrace.seed");
    if (one != null) {
      return LongStream.of(one);
    }
    return Boolean.getBoolean("millrace.long")
        ? LongStream.concat(LongStream.of(fixed), new Random().longs(NEW_ONES))
        : LongStream.of(fixed);
  }
}
