package io.millrace.store.rollup;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Settings of rollups.
 *
 * @param enabled whether rows are rolled up; existing rollups are kept while disabled, and
 *     continued when enabled again
 * @param keep groups kept of a bucket, by scaled bytes and by scaled packets each; the others are
 *     summed. At least 10
 * @param accounting attribution of a long flow's counts to time
 * @param sets columns by set name, in addition to {@link RollupSet#DEFAULTS} or replacing one of
 *     the same name; no columns disable the set
 * @param longestFlow maximum credible duration of a record; 1 s to 1 h
 * @param longestDelay maximum credible time between the end of a flow and the arrival of its
 *     record; 0 to 1 h
 * @param retention retention of the buckets of each grain
 * @param samples whether to keep a sample of the rows as long, in place of removed rows; disabling
 *     it drops existing samples
 */
@RecordBuilder
public record RollupConfig(
    boolean enabled,
    int keep,
    Accounting accounting,
    Map<String, List<String>> sets,
    Duration longestFlow,
    Duration longestDelay,
    Retention retention,
    boolean samples)
    implements RollupConfigBuilder.With {

  /** Attribution of a flow record's counts to time. */
  public enum Accounting {
    /** Over the duration of the flow. */
    SPREAD,
    /** When the record arrives. */
    ARRIVAL
  }

  /**
   * Maximum age of buckets relative to the newest row, and maximum size, beyond which the oldest
   * buckets are removed earlier.
   *
   * @param minutes age of minutes, at least 2 h
   * @param fiveMinutes age of five-minute buckets, at least that of minutes
   * @param hours age of hours and days, at least that of five-minute buckets
   * @param minutesSizeBytes maximum size of the minutes of all sets of a table; 0 for no limit
   * @param fiveMinutesSizeBytes maximum size of the five-minute buckets
   * @param hoursSizeBytes maximum size of the hours, and of the days
   */
  public record Retention(
      Duration minutes,
      Duration fiveMinutes,
      Duration hours,
      long minutesSizeBytes,
      long fiveMinutesSizeBytes,
      long hoursSizeBytes) {
    private static final Duration MIN = Duration.ofHours(2);

    /** A month of minutes, a year of five minutes, three years of hours. */
    public static final Retention DEFAULT =
        new Retention(Duration.ofDays(30), Duration.ofDays(366), Duration.ofDays(1_096));

    /** Limits by age only. */
    public Retention(Duration minutes, Duration fiveMinutes, Duration hours) {
      this(minutes, fiveMinutes, hours, 0, 0, 0);
    }

    /** Validates the order. */
    public Retention {
      atLeast("rollups.retention.minutes", minutes, MIN);
      atLeast("rollups.retention.five-minutes", fiveMinutes, minutes);
      atLeast("rollups.retention.hours", hours, fiveMinutes);
      notNegative("rollups.retention.minutes-size", minutesSizeBytes);
      notNegative("rollups.retention.five-minutes-size", fiveMinutesSizeBytes);
      notNegative("rollups.retention.hours-size", hoursSizeBytes);
    }

    private static void notNegative(String key, long bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException(key + ": " + bytes + " is less than 0");
      }
    }

    /** Maximum bytes of a grain; 0 for no limit. */
    public long sizeOf(Grain grain) {
      return switch (grain) {
        case MINUTE -> minutesSizeBytes;
        case FIVE -> fiveMinutesSizeBytes;
        case HOUR, DAY -> hoursSizeBytes;
      };
    }

    /** Maximum age of a grain. */
    public Duration of(Grain grain) {
      return switch (grain) {
        case MINUTE -> minutes;
        case FIVE -> fiveMinutes;
        case HOUR, DAY -> hours;
      };
    }
  }

  /** Defaults, see docs/rollups.md. */
  public static final RollupConfig DEFAULT =
      new RollupConfig(
          true,
          10_000,
          Accounting.SPREAD,
          Map.of(),
          Duration.ofHours(1),
          Duration.ofMinutes(5),
          Retention.DEFAULT,
          true);

  /** No rollups. */
  public static final RollupConfig NONE = DEFAULT.withEnabled(false).withSamples(false);

  /** Validates the ranges and the sets. */
  public RollupConfig {
    sets = Map.copyOf(sets);
    if (keep < 10) {
      throw new IllegalArgumentException("rollups.keep: " + keep + " is less than 10");
    }
    atLeast("rollups.longest-flow", longestFlow, Duration.ofSeconds(1));
    atMostAnHour("rollups.longest-flow", longestFlow);
    atLeast("rollups.longest-delay", longestDelay, Duration.ZERO);
    atMostAnHour("rollups.longest-delay", longestDelay);
    var unused = declared(sets);
  }

  private static void atLeast(String key, Duration value, Duration min) {
    if (value.compareTo(min) < 0) {
      throw new IllegalArgumentException(key + ": " + value + " is less than " + min);
    }
  }

  private static void atMostAnHour(String key, Duration value) {
    if (value.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(key + ": " + value + " is more than an hour");
    }
  }

  /** Declared sets, sorted by name. */
  public List<RollupSet> declared() {
    return declared(sets);
  }

  private static List<RollupSet> declared(Map<String, List<String>> sets) {
    return sets.entrySet().stream()
        .filter(set -> !(set.getValue().isEmpty() && RollupSet.isDefault(set.getKey())))
        .map(set -> new RollupSet(set.getKey(), set.getValue()))
        .sorted(Comparator.comparing(RollupSet::name))
        .toList();
  }

  /** Effective sets: defaults that are not overridden, then the declared ones. */
  public List<RollupSet> wanted() {
    List<RollupSet> all = new ArrayList<>(RollupSet.DEFAULTS);
    all.removeIf(set -> sets.containsKey(set.name()));
    all.addAll(declared());
    return all;
  }
}
