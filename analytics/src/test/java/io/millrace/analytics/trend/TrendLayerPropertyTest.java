package io.millrace.analytics.trend;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.testing.WatchedContext;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Layers of analyzers without an engine, with random interleaving of rows and watermarks. */
class TrendLayerPropertyTest {
  private static final long MINUTE = 60_000_000;

  private final Map<String, Long> counted = new HashMap<>();

  /**
   * A first layer of the given width, downstream layers of half the previous width each, and the
   * last one.
   */
  private List<List<TrendLayer>> layers(int width, int behind, TrendSettings settings) {
    return layers(width, behind, settings, Duration.ZERO);
  }

  private List<List<TrendLayer>> layers(
      int width, int behind, TrendSettings settings, Duration watermarkDelay) {
    List<List<TrendLayer>> layers = new ArrayList<>();
    int copies = width;
    for (int i = 0; i <= behind; i++) {
      boolean isLast = i == behind;
      copies = isLast ? 1 : copies;
      List<TrendLayer> layer = new ArrayList<>();
      for (int index = 0; index < copies; index++) {
        TrendLayer copy =
            isLast
                ? TrendLayer.last(settings, watermarkDelay)
                : TrendLayer.inner(settings, watermarkDelay);
        copy.open(new WatchedContext(index, copies, counted, new HashMap<>()));
        layer.add(copy);
      }
      layers.add(layer);
      copies = (copies + 1) / 2;
    }
    return layers;
  }

  /** Index of the subtask in the next layer that receives the output of a subtask. */
  private static int behind(List<List<TrendLayer>> layers, int layer, int copy) {
    return layer + 1 == layers.size()
        ? 0
        : copy * layers.get(layer + 1).size() / layers.get(layer).size();
  }

  /** Passes a block to a subtask of a layer, and its output downstream. */
  private static void hand(
      List<List<TrendLayer>> layers, int layer, int copy, TableBlock block, List<TableBlock> out) {
    if (layer == layers.size()) {
      out.add(block);
    } else {
      layers
          .get(layer)
          .get(copy)
          .process(block, next -> hand(layers, layer + 1, behind(layers, layer, copy), next, out));
    }
  }

  private static void pass(List<List<TrendLayer>> layers, long micros, List<TableBlock> out)
      throws Exception {
    pass(layers, micros, Set.of(), out);
  }

  /** Advances the watermark, except for idle subtasks of the first layer. */
  private static void pass(
      List<List<TrendLayer>> layers, long micros, Set<Integer> idle, List<TableBlock> out)
      throws Exception {
    for (int layer = 0; layer < layers.size(); layer++) {
      for (int copy = 0; copy < layers.get(layer).size(); copy++) {
        if (layer == 0 && idle.contains(copy)) {
          continue;
        }
        int behind = layer + 1;
        int to = behind(layers, layer, copy);
        layers
            .get(layer)
            .get(copy)
            .watermark(micros, block -> hand(layers, behind, to, block, out));
      }
    }
  }

  /** A subtask of the first layer becomes idle. */
  private static void silence(List<List<TrendLayer>> layers, int copy, List<TableBlock> out)
      throws Exception {
    int to = behind(layers, 0, copy);
    layers.get(0).get(copy).idle(block -> hand(layers, 1, to, block, out));
  }

  /** New subtasks with the state of others. */
  private List<List<TrendLayer>> restored(
      List<List<TrendLayer>> layers, int width, TrendSettings settings) throws Exception {
    List<List<TrendLayer>> others = layers(width, layers.size() - 1, settings);
    for (int layer = 0; layer < layers.size(); layer++) {
      List<TrendLayer> to = others.get(layer);
      for (TrendLayer copy : layers.get(layer)) {
        copy.snapshot(
            (piece, version, state) -> {
              for (TrendLayer taker : to) {
                taker.restore(piece, version, state);
              }
            });
      }
    }
    return others;
  }

  private static TableBlock event(PlainTrends.Row row) {
    TableBlock block = new TableBlock(TrendRows.EVENTS, 1);
    block.longs(0)[0] = row.micros();
    block.texts(1).add(row.keyword());
    block.longs(2)[0] = row.count();
    block.rows(1);
    return block;
  }

  @Property(tries = 40)
  void finalTrendsEqualThoseOfTheStatefulWayAndOthersAreWithdrawn(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 7) int width,
      @ForAll @IntRange(min = 1, max = 3) int behind,
      @ForAll boolean falls)
      throws Exception {
    TrendSettings settings =
        TrendSettings.defaults().withBuckets(2).withRule(0.7, 1, 1.2).withFalls(falls);
    List<PlainTrends.Row> rows = TrendStatePropertyTest.rows(seed, 500);
    SplittableRandom random = new SplittableRandom(seed);
    List<TableBlock> out = new ArrayList<>();
    List<List<TrendLayer>> layers = layers(width, behind, settings);
    pass(layers, 0, out);
    long newest = 0;
    int restoreAt = random.nextInt(rows.size());
    Set<Integer> idle = new HashSet<>();
    for (int i = 0; i < rows.size(); i++) {
      if (i == restoreAt) {
        layers = restored(layers, 1 + random.nextInt(7), settings);
        idle.clear();
      }
      newest = Math.max(newest, rows.get(i).micros());
      int copy = random.nextInt(layers.get(0).size());
      idle.remove(copy);
      hand(layers, 0, copy, event(rows.get(i)), out);
      int other = random.nextInt(layers.get(0).size());
      if (other != copy && idle.add(other)) {
        silence(layers, other, out);
      }
      pass(layers, Math.max(0, newest - MINUTE - 1), idle, out);
    }
    pass(layers, Long.MAX_VALUE, out);

    Set<String> finals = new TreeSet<>();
    Set<String> early = new HashSet<>();
    Set<String> withdrawn = new HashSet<>();
    for (TableBlock block : out) {
      for (int row = 0; row < block.rows(); row++) {
        String key = block.text(row, 0) + " " + block.text(row, 1);
        switch (block.text(row, 9)) {
          case TrendRows.EARLY -> early.add(key);
          case TrendRows.WITHDRAWN -> assertThat(withdrawn.add(key)).isTrue();
          case TrendRows.FINAL ->
              assertThat(finals.add(key + " " + block.text(row, 2) + " " + block.text(row, 6)))
                  .isTrue();
          default -> throw new AssertionError("a part behind the last layer");
        }
      }
    }
    Set<String> expected = new TreeSet<>();
    Set<String> confirmed = new HashSet<>();
    for (Trend trend : PlainTrends.of(rows, settings)) {
      expected.add(
          trend.begin() + " " + trend.keyword() + " " + trend.count() + " " + trend.score());
      confirmed.add(trend.begin() + " " + trend.keyword());
    }
    Set<String> missing = new TreeSet<>(expected);
    missing.removeAll(finals);
    assertThat(missing).isEmpty();
    assertThat(finals).hasSameSizeAs(expected);
    Set<String> left = new HashSet<>(early);
    left.removeAll(confirmed);
    assertThat(withdrawn).isEqualTo(left);
    assertThat(counted.getOrDefault("lateRows", 0L)).isZero();
  }

  /** All final results of rows in batches, each followed by the watermark of its end. */
  private Set<String> finals(
      List<PlainTrends.Row> rows, int most, int width, int behind, TrendSettings settings)
      throws Exception {
    List<List<TrendLayer>> layers = layers(width, behind, settings, Duration.ofMillis(60_011));
    List<TableBlock> out = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(most);
    long newest = Long.MIN_VALUE;
    for (int i = 0; i < rows.size(); ) {
      for (int left = 1 + random.nextInt(most); left > 0 && i < rows.size(); left--) {
        newest = Math.max(newest, rows.get(i).micros());
        hand(layers, 0, random.nextInt(width), event(rows.get(i++)), out);
      }
      pass(layers, newest - MINUTE - 1, out);
    }
    pass(layers, Long.MAX_VALUE, out);
    Set<String> finals = new TreeSet<>();
    for (TableBlock block : out) {
      for (int row = 0; row < block.rows(); row++) {
        if (block.text(row, 9).equals(TrendRows.FINAL)) {
          finals.add(block.text(row, 0) + " " + block.text(row, 1) + " " + block.text(row, 6));
        }
      }
    }
    return finals;
  }

  @Property(tries = 40)
  void theFirstJudgedBucketDoesNotDependOnTheWatermark(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 7) int width,
      @ForAll @IntRange(min = 1, max = 3) int behind,
      @ForAll @IntRange(min = 2, max = 200) int most)
      throws Exception {
    TrendSettings settings = TrendSettings.defaults().withBuckets(2).withRule(0.7, 0, 1);
    List<PlainTrends.Row> rows = new ArrayList<>(TrendStatePropertyTest.rows(seed, 300));
    rows.sort(Comparator.comparingLong(PlainTrends.Row::micros));

    Set<String> told = finals(rows, 1, width, behind, settings);

    assertThat(told).isNotEmpty();
    assertThat(finals(rows, most, width, behind, settings)).isEqualTo(told);
  }
}
