package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
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
  private final SampledCounts none;
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
    none = new SampledCounts(settings, kind, 0, settings.seed()); // stays empty
    Arrays.fill(groups, none);
  }

  /** Adds a table, of no group that {@link #parts} has given. */
  void add(HitterSettings settings, int kind, KindParts.Part part) {
    int group = part.group;
    if (part.read != null) {
      groups[group] = part.read;
      total += part.read.weights().total();
      return;
    }
    if (groups[group] == none) {
      groups[group] = new SampledCounts(settings, kind, group, settings.seed());
    }
    SampledCounts counts = groups[group];
    total -= counts.weights().total();
    counts.merge(new BlockInput(part.counts, 0, part.counts.length));
    total += counts.weights().total();
  }

  /** A part of each group of which there is something. */
  List<KindParts.Part> parts() {
    List<KindParts.Part> parts = new ArrayList<>();
    for (int group = 0; group < groups.length; group++) {
      if (groups[group] != none) {
        parts.add(new KindParts.Part(group, groups[group]));
      }
    }
    return parts;
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
