package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** The tables of an epoch by key group: counts of the very keys that are asked for. */
final class CountTables implements EpochCounts {
  private final HitterKind counted;
  private final SampledCounts[] groups = new SampledCounts[HitterSettings.GROUPS];
  private final int hash;
  private final int words;
  private long total;

  /**
   * No tables yet.
   *
   * @param kind in place of which the keys are counted
   */
  CountTables(HitterSettings settings, int kind) {
    counted = settings.counted().get(kind);
    hash = HitterSettings.hash(counted);
    words = counted.words();
    Arrays.fill(groups, new SampledCounts(settings, kind, 0, settings.seed())); // stays empty
  }

  /** Adds a table as it was written. */
  void add(HitterSettings settings, int kind, int group, byte[] table) {
    SampledCounts counts = new SampledCounts(settings, kind, group, settings.seed());
    counts.read(new BlockInput(table, 0, table.length));
    total += counts.weights().total();
    if (groups[group].weights().total() == 0) {
      groups[group] = counts;
    } else {
      groups[group].merge(counts);
    }
  }

  /** All groups. */
  List<SampledCounts> groups() {
    return List.of(groups);
  }

  /** The kind whose keys they are. */
  HitterKind counted() {
    return counted;
  }

  private SampledCounts of(Key key) {
    return groups[HitterSettings.groupOf(hash, words, key)];
  }

  @Override
  public long total() {
    return total;
  }

  @Override
  public List<Hitter> hitters(long threshold) {
    return groups().stream().flatMap(group -> group.weights().hitters(threshold).stream()).toList();
  }

  @Override
  public void forEachWeight(LongConsumer reader) {
    groups().forEach(group -> group.weights().forEachWeight(reader));
  }

  @Override
  public long value(Key key) {
    return of(key).weights().estimate(key).value();
  }

  @Override
  public Map<Key, Known> known(Collection<Key> keys) {
    Map<Key, Known> known = new HashMap<>();
    for (Key key : keys) {
      SampledCounts counts = of(key);
      known.put(
          key,
          new Known(
              counts.weights().estimate(key),
              counts.variance(key),
              counts.weights().algorithm().label()));
    }
    return known;
  }
}
