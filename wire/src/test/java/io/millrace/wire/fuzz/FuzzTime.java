package io.millrace.wire.fuzz;

import java.util.Random;
import java.util.function.Consumer;

/**
 * Duration of a fuzz test: the requested number of turns in a full run ({@code -Dmillrace.full}),
 * otherwise the first quarter of them, with a fixed seed; or, with {@code
 * -Dmillrace.fuzz.seconds=120}, that time with a seed of the day, which {@code
 * -Dmillrace.fuzz.seed} sets. A failure prints the seed and the command that repeats it.
 */
public final class FuzzTime {
  private static final int CHUNK = 256;

  private FuzzTime() {}

  /**
   * Runs the turns of a test, in chunks with a generator each that is seeded by the chunk's number.
   */
  public static void run(String name, long seed, int turns, Consumer<Random> turn) {
    String test =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
            .getCallerClass()
            .getSimpleName();
    long seconds =
        Long.getLong("millrace.fuzz.seconds", Boolean.getBoolean("millrace.long") ? 20 : 0);
    long first = seconds == 0 ? seed : Long.getLong("millrace.fuzz.seed", System.nanoTime());
    long until = System.nanoTime() + seconds * 1_000_000_000L;
    long done = 0;
    int length = System.getProperty("millrace.full") == null ? (turns + 3) / 4 : turns;
    for (long chunk = first; seconds == 0 ? done < length : System.nanoTime() < until; chunk++) {
      Random random = new Random(chunk);
      int size = seconds == 0 ? length : CHUNK;
      for (int i = 0; i < size; i++, done++) {
        try {
          turn.accept(random);
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
          throw new AssertionError(
              name
                  + ": turn "
                  + i
                  + " of seed "
                  + chunk
                  + "; again: "
                  + again(test, chunk, seconds),
              e);
        }
      }
    }
    if (seconds > 0) {
      System.out.printf("%s: %,d turns in %d s from seed %d, sound%n", name, done, seconds, first);
    }
  }

  /**
   * Command that repeats a failure. Without a duration, the seed is the test's, and the turns may
   * be more than a chunk.
   */
  private static String again(String test, long seed, long seconds) {
    String command = "./millrace test wire -Dtest=" + test;
    return seconds == 0
        ? command
        : command + " -Dmillrace.fuzz.seed=" + seed + " -Dmillrace.fuzz.seconds=1";
  }
}
