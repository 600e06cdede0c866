package io.millrace.store.rollup;

/** Length of the buckets of a rollup; buckets begin at whole multiples since the epoch (UTC). */
public enum Grain {
  /** One minute. */
  MINUTE("minute", 60),
  /** Five minutes, by which transit is billed. */
  FIVE("five", 300),
  /** One hour. */
  HOUR("hour", 3_600),
  /** One day, so that a week is seven buckets and a year a few hundred. */
  DAY("day", 86_400);

  private static final long MICROS = 1_000_000;

  private final String label;
  private final int seconds;

  Grain(String label, int seconds) {
    this.label = label;
    this.seconds = seconds;
  }

  /** The word for it in names of tables. */
  public String label() {
    return label;
  }

  /** Length of a bucket in microseconds. */
  public long micros() {
    return seconds * MICROS;
  }

  /** Start of the bucket that holds a time; both in microseconds since the epoch. */
  public long bucket(long micros) {
    return micros - Math.floorMod(micros, micros());
  }
}
