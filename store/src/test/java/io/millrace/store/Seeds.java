package io.millrace.store;

import java.util.Random;
import java.util.stream.LongStream;

/**
 * Seeds of randomised tests: fixed ones, in a long run ({@code -Dmillrace.long=true}) also new
 * ones, or the one of {@code -Dmillrace.seed=N} to repeat a failure.
 */
public final class Seeds {
  private static final int NEW_ONES = 20;

  private Seeds() {}

  /** Fixed seeds first. */
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
