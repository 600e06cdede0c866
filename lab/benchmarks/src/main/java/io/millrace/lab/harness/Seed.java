package io.millrace.lab.harness;

import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Option;

/** The option {@code --seed}. */
public final class Seed {
  @Option(names = "--seed", paramLabel = "N", description = "Seed of random choices.")
  private long value;

  /** The seed; 0 without the option. */
  public long value() {
    return value;
  }

  /** The seed, or the default. */
  public long or(long fallback) {
    return value == 0 ? fallback : value;
  }

  /** The seed, or a new random one for each call. */
  public long orRandom() {
    return value == 0 ? ThreadLocalRandom.current().nextInt(1, 1 << 20) : value;
  }
}
