package io.millrace.store.rollup;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Which rollups are kept, and how.
 *
 * @param enabled whether rows are rolled up; what is there stays when this is switched off, and is
 *     carried on from there when it is switched on again
 * @param keep groups that stay of a bucket, by scaled bytes and by scaled packets each; the others
 *     are summed up as one. At least 10
 * @param accounting when the counts of a long flow count
 * @param sets beside {@link RollupSet#DEFAULTS}, or in place of the one of the same name: columns
 *     by the name of the set; no columns leave out the one of that name
 * @param longestFlow more of a record's duration is not believed; 1 s to 1 h
 * @param longestDelay a record that says that its flow ended earlier than this before it arrived is
 *     not believed; 0 to 1 h
 * @param retention how long the buckets of each grain stay
 * @param samples whether some of the rows are kept as long, to stand for those that are gone; what
 *     there is of them is dropped when this is switched off
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

  /** When the counts of a flow record count. */
  public enum Accounting {
    /** Over the duration of the flow. */
    SPREAD,
    /** When the record arrives. */
    ARRIVAL
  }

  /**
   * Age after which buckets go, by the time of the newest row, and size beyond which the oldest go
   * before.
   *
   * @param minutes of buckets of a minute, at least 2 h
   * @param fiveMinutes of buckets of five minutes, not less than that of minutes
   * @param hours of buckets of an hour and of a day, not less than that of five minutes
   * @param minutesSizeBytes that the buckets of a minute of all sets of a table may take; 0 for no
   *     limit
   * @param fiveMinutesSizeBytes the same for those of five minutes
   * @param hoursSizeBytes the same for those of an hour, and for those of a day
   */
  public record Retention(
      Duration minutes,
      Duration fiveMinutes,
      Duration hours,
      long minutesSizeBytes,
      long fiveMinutesSizeBytes,
      long hoursSizeBytes) {
    private static final Duration LEAST = Duration.ofHours(2);

    /** A month of minutes, a year of five minutes, three years of hours. */
    public static final Retention DEFAULT =
        new Retention(Duration.ofDays(30), Duration.ofDays(366), Duration.ofDays(1_096));

    /** By age alone. */
    public Retention(Duration minutes, Duration fiveMinutes, Duration hours) {
      this(minutes, fiveMinutes, hours, 0, 0, 0);
    }

    /** Checks the order. */
    public Retention {
      atLeast("rollups.retention.minutes", minutes, LEAST);
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

    /** Bytes that a grain may take; 0 for no limit. */
    public long sizeOf(Grain grain) {
      return switch (grain) {
        case MINUTE -> minutesSizeBytes;
        case FIVE -> fiveMinutesSizeBytes;
        case HOUR, DAY -> hoursSizeBytes;
      };
    }

    /** That of a grain. */
    public Duration of(Grain grain) {
      return switch (grain) {
        case MINUTE -> minutes;
        case FIVE -> fiveMinutes;
        case HOUR, DAY -> hours;
      };
    }
  }

  /** As the page of rollups says. */
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

  /** Checks the ranges and the sets. */
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

  private static void atLeast(String key, Duration value, Duration least) {
    if (value.compareTo(least) < 0) {
      throw new IllegalArgumentException(key + ": " + value + " is less than " + least);
    }
  }

  private static void atMostAnHour(String key, Duration value) {
    if (value.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(key + ": " + value + " is more than an hour");
    }
  }

  /** The sets that are declared, in order of their names. */
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

  /** All sets that are wanted: those by default that nothing is said of, then the declared ones. */
  public List<RollupSet> wanted() {
    List<RollupSet> all = new ArrayList<>(RollupSet.DEFAULTS);
    all.removeIf(set -> sets.containsKey(set.name()));
    all.addAll(declared());
    return all;
  }
}
