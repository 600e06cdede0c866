package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.ALL;
import static io.millrace.analytics.hitters.HitterSettings.DETAILS;
import static io.millrace.analytics.hitters.HitterSettings.GROUPS;

import io.millrace.analytics.sketch.Adaptive;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.Estimate;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Merged tables of an epoch. Exact counts stay exact, in tables for all keys; a key group with any
 * sketch is merged into one sketch. If exact counts would exceed the memory of the settings, they
 * are moved to sketches of all groups. Immutable once read.
 */
final class CountTables implements EpochCounts {
  private static final int ROWS = 1 << 10;

  private final HitterSettings settings;
  private final int kind;
  private final long seed;
  private final HitterKind counted;
  private final int hash;
  private final int words;

  private final boolean[] isSketched = new boolean[GROUPS];

  private boolean isAnyApart;
  private final GroupedCounts sketched;

  private ExactTables exact;

  private int[] groupOf = {};

  CountTables(HitterSettings settings, int kind, long seed, List<KindParts.Part> parts) {
    this.settings = settings;
    this.kind = kind;
    this.seed = seed;
    counted = settings.counted().get(kind);
    hash = HitterSettings.hash(counted);
    words = counted.words();
    sketched = new GroupedCounts(settings, kind, seed, 0);
    for (KindParts.Part part : parts) {
      if (part.group < DETAILS && !Adaptive.isExact(part.input())) {
        isSketched[part.group] = true;
        isAnyApart = true;
        sketched.merge(part.group, part.input());
      }
    }
    exact = noExact();
    for (KindParts.Part part : parts) {
      BlockInput in = part.input();
      if (part.group < DETAILS && Adaptive.isExact(in)) {
        new SampledCounts(settings, kind, part.group, seed)
            .weights()
            .readExact(in, keys -> {}, this::add);
      } else if (part.group == ALL && isAnyApart) {
        exact.read(in, this::add);
      } else if (part.group == ALL) {
        exact.merge(in, this::full);
      }
    }
    var unused = sketched.byGroup(); // counts the waiting rows
  }

  private void add(KeyBlock keys) {
    KeyBlock own = isAnyApart ? withoutApart(keys) : keys;
    KeyBlock rest = exact.add(own, new long[own.rows()]);
    if (rest != null) {
      full(rest);
    }
  }

  private ExactTables noExact() {
    int groups = 0;
    for (boolean each : isSketched) {
      groups += each ? 0 : 1;
    }
    long memory = settings.memory() / GROUPS * Math.max(groups, 1);
    return new ExactTables(counted.bytes(), settings.form(kind), memory, seed);
  }

  private void full(KeyBlock rest) {
    sketched.add(rest);
    if (exact.size() > 0) {
      ExactTables counts = exact;
      Arrays.fill(isSketched, true);
      isAnyApart = true;
      exact = noExact();
      counts.forEachBlock(ROWS, sketched::add);
    }
  }

  private KeyBlock withoutApart(KeyBlock keys) {
    int rows = keys.rows();
    groupOf = groupOf.length < rows ? new int[rows] : groupOf;
    settings.groupsOf(kind, keys, groupOf);
    KeyBlock own = KeyBlock.withVariances(keys.keyBytes(), rows);
    KeyBlock others = KeyBlock.withVariances(keys.keyBytes(), rows);
    for (int row = 0; row < rows; row++) {
      (isSketched[groupOf[row]] ? others : own).add(keys, row);
    }
    sketched.add(others);
    return own;
  }

  int parts() {
    return exact.pieces() + sketchedGroups().size();
  }

  void forEachTable(KindCounts.GroupReader reader) {
    BlockBuffer table = new BlockBuffer(1 << 20);
    exact.write(table, () -> reader.take(ALL, true, table));
    SampledCounts[] groups = sketched.byGroup();
    for (int group = 0; group < GROUPS; group++) {
      if (groups[group] != null) {
        table.clear();
        groups[group].write(table);
        reader.take(group, groups[group].weights().isExact(), table);
      }
    }
  }

  List<SampledCounts> sketchedGroups() {
    return Arrays.stream(sketched.byGroup()).filter(group -> group != null).toList();
  }

  void forEachExact(int rows, Consumer<KeyBlock> reader) {
    exact.forEachBlock(rows, reader);
  }

  HitterKind counted() {
    return counted;
  }

  private SampledCounts of(Key key) {
    int group = HitterSettings.groupOf(hash, words, key);
    return isSketched[group] ? sketched.byGroup()[group] : null;
  }

  @Override
  public long total() {
    return sketched.total() + exact.total();
  }

  long totalVariance() {
    return sketched.totalVariance() + exact.totalVariance();
  }

  @Override
  public List<Hitter> hitters(long threshold) {
    List<Hitter> hitters = new ArrayList<>(exact.hitters(threshold));
    sketchedGroups().forEach(group -> hitters.addAll(group.weights().hitters(threshold)));
    return hitters;
  }

  @Override
  public void forEachWeight(LongConsumer reader) {
    exact.forEachWeight(reader);
    sketchedGroups().forEach(group -> group.weights().forEachWeight(reader));
  }

  private Estimate estimate(Key key, SampledCounts group) {
    return group == null ? exact.estimate(key) : group.weights().estimate(key);
  }

  @Override
  public long value(Key key) {
    return estimate(key, of(key)).value();
  }

  @Override
  public Map<Key, KeyEstimate> known(Collection<Key> keys) {
    Map<Key, KeyEstimate> known = new HashMap<>();
    for (Key key : keys) {
      SampledCounts group = of(key);
      known.put(
          key,
          new KeyEstimate(
              estimate(key, group),
              group == null ? exact.variance(key) : group.variance(key),
              (group == null ? Algorithm.EXACT : group.weights().algorithm()).label()));
    }
    return known;
  }
}
