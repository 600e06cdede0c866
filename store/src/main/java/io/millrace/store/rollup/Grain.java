package io.millrace.store.rollup;

/** Bucket length of a rollup; buckets start at multiples since the epoch (UTC). */
public enum Grain {
  /** One minute. */
  MINUTE("minute", 60),
  /** Five minutes, as in transit billing. */
  FIVE("five", 300),
  /** One hour. */
  HOUR("hour", 3_600),
  /** One day, for long ranges. */
  DAY("day", 86_400);

  private static final long MICROS = 1_000_000;

  private final String label;
  private final int seconds;

  Grain(String label, int seconds) {
    this.label = label;
    this.seconds = seconds;
  }

  /** Label in the names of tables. */
  public String label() {
    return label;
  }

  /** Length of a bucket in microseconds. */
  public long micros() {
    return seconds * MICROS;
  }

  /** Start of the bucket of a time; both in microseconds since the epoch. */
  public long bucket(long micros) {
    return micros - Math.floorMod(micros, micros());
  }
}
