package io.millrace.analytics.hitters;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.hitters.Flows.Flow;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Compares hitters and changers with sums in maps. */
class HittersPropertyTest {
  private static final int EPOCHS = 3;
  private static final double SHARE = 0.02;

  /** Some sources have most of the traffic, and change from epoch to epoch. */
  private static List<Flow> flows(Random random, int count, int sources, int rate) {
    List<Flow> flows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int second = random.nextInt(10 * EPOCHS);
      boolean isHeavy = random.nextInt(3) == 0;
      int source = isHeavy ? random.nextInt(10) + second / 10 * 5 : random.nextInt(sources);
      int packets = 1 + random.nextInt(5);
      flows.add(new Flow(second, source, random.nextInt(3), packets, 100L * packets, rate));
    }
    return flows;
  }

  private static List<FlowBlock> blocks(List<Flow> flows) {
    List<FlowBlock> blocks = new ArrayList<>();
    for (int from = 0; from < flows.size(); from += 700) {
      blocks.add(Flows.block(flows.subList(from, Math.min(from + 700, flows.size()))));
    }
    return blocks;
  }

  /** Sums by epoch and source. */
  private static List<Map<Integer, Long>> sums(List<Flow> flows) {
    List<Map<Integer, Long>> sums = new ArrayList<>();
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
      sums.add(new HashMap<>());
    }
    flows.forEach(
        flow ->
            sums.get(flow.second() / 10)
                .merge(flow.source(), flow.bytes() * flow.rate(), Long::sum));
    return sums;
  }

  private static long limit(Map<Integer, Long> sums) {
    return Math.max(1, (long) Math.ceil(SHARE * total(sums)));
  }

  private static long total(Map<Integer, Long> sums) {
    return sums.values().stream().mapToLong(Long::longValue).sum();
  }

  private static Set<String> expected(List<Flow> flows) {
    Set<String> rows = new HashSet<>();
    Map<Integer, Long> before = null;
    int epoch = 0;
    for (Map<Integer, Long> now : sums(flows)) {
      Set<Integer> keys = new HashSet<>(now.keySet());
      keys.addAll(before == null ? Set.of() : before.keySet());
      for (int key : keys) {
        long weight = now.getOrDefault(key, 0L);
        Long previous = before == null ? null : before.getOrDefault(key, 0L);
        boolean hasChanged =
            before != null && Math.abs(weight - previous) >= Math.max(limit(now), limit(before));
        if (weight >= limit(now) || hasChanged) {
          long address = Flows.source(key) & 0xFFFF;
          rows.add(
              10_000_000L * epoch
                  + " 10.0."
                  + (address >> 8)
                  + "."
                  + (address & 255)
                  + " "
                  + weight
                  + " "
                  + previous
                  + " "
                  + total(now)
                  + " exact");
        }
      }
      before = now;
      epoch++;
    }
    return rows;
  }

  @Property(tries = 15)
  void exactlyTheHeavyAndTheChanged(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 4) int counters, @ForAll boolean isSplit)
      throws Exception {
    Random random = new Random(seed);
    List<Flow> flows = flows(random, 5_000, 3_000, 1 + random.nextInt(100));
    HitterSettings settings =
        Flows.settings(
            HitterSettings.Measure.BYTES, "2%", HitterSettings.MIN_MEMORY, "source", "protocol");
    List<TableBlock> results = Steps.run(settings, blocks(flows), counters, isSplit);
    List<String> rows =
        Steps.rows(results, "kind", "epoch", "key", "estimate", "previous", "total", "algorithm");
    Set<String> expected = new HashSet<>();
    expected(flows).forEach(row -> expected.add("source " + row));
    assertThat(rows).filteredOn(row -> row.startsWith("source")).hasSameElementsAs(expected);
    assertThat(rows).filteredOn(row -> row.startsWith("protocol")).hasSize(EPOCHS);
  }

  /** The rows and their order do not depend on merging before the judge. */
  @Property(tries = 10)
  void layersOfMergingChangeNothing(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 7) int counters,
      @ForAll @IntRange(min = 2, max = 4) int layers,
      @ForAll boolean isTogether)
      throws Exception {
    HitterSettings settings =
        Flows.settings(
            isTogether ? Algorithm.COCO : Algorithm.MV,
            HitterSettings.Measure.BYTES,
            "2%",
            HitterSettings.MIN_MEMORY,
            "source",
            "pair",
            "source-networks");
    List<FlowBlock> blocks = blocks(flows(new Random(seed), 5_000, 3_000, 7));
    String[] columns = {
      "epoch",
      "kind",
      "key",
      "rank",
      "change_rank",
      "estimate",
      "lower",
      "upper",
      "sampling_error",
      "own",
      "previous",
      "total",
      "algorithm",
      "sources"
    };
    assertThat(Steps.rows(Steps.inLayers(settings, blocks, counters, layers), columns))
        .isNotEmpty()
        .isEqualTo(Steps.rows(Steps.run(settings, blocks, counters, true), columns));
  }

  /**
   * With more keys than fit (of two split counters, only after the merge), results are a sketch's,
   * with valid bounds, and no hitter is missing.
   */
  @Property(tries = 3)
  void boundsHoldWhereMemoryIsFull(@ForAll long seed, @ForAll boolean isSplit) throws Exception {
    List<Flow> flows = flows(new Random(seed), 600_000, 1 << 24, 1);
    Collections.shuffle(flows, new Random(seed));
    HitterSettings settings =
        Flows.settings(HitterSettings.Measure.PACKETS, "2%", HitterSettings.MIN_MEMORY, "source");
    flows.replaceAll(flow -> new Flow(flow.second() / 10, flow.source(), 0, 1, flow.bytes(), 1));
    Map<Integer, Long> sums = new HashMap<>();
    flows.forEach(flow -> sums.merge(flow.source(), 1L, Long::sum));
    List<TableBlock> results = Steps.run(settings, blocks(flows), 2, isSplit);

    Map<String, Long> truth = new HashMap<>();
    sums.forEach(
        (source, weight) ->
            truth.put(
                "10." + (source >> 16 & 255) + "." + (source >> 8 & 255) + "." + (source & 255),
                weight));
    Set<String> found = new HashSet<>();
    for (TableBlock block : results) {
      for (int row = 0; row < block.rows(); row++) {
        String key = block.text(row, block.schema().indexOf("key"));
        found.add(key);
        assertThat(truth.get(key))
            .isBetween(
                block.longs(block.schema().indexOf("lower"))[row],
                block.longs(block.schema().indexOf("upper"))[row]);
        assertThat(block.text(row, block.schema().indexOf("algorithm"))).isEqualTo("mv");
      }
    }
    truth.forEach(
        (key, weight) -> {
          if (weight >= 0.02 * flows.size()) {
            assertThat(found).contains(key);
          }
        });
    assertThat(found).isNotEmpty();
  }
}
