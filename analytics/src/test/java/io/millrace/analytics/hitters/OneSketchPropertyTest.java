package io.millrace.analytics.hitters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.hitters.Flows.Flow;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Derives several keys from one count of all their columns. */
class OneSketchPropertyTest {
  private static final String[] KEYS = {
    "source", "src_addr/24", "pair", "proto+dst_addr/16", "src_addr/16", "destination", "dst_addr/*"
  };
  private static final int BLOCK = 1_000;

  private static HitterSettings settings(Algorithm algorithm, long seed, String... keys) {
    HitterSettings settings =
        Flows.settings(
            algorithm, HitterSettings.Measure.BYTES, "3%", HitterSettings.MIN_MEMORY, keys);
    return new HitterSettings(
        settings.kinds(),
        settings.measure(),
        settings.epochMicros(),
        settings.threshold(),
        settings.memory(),
        algorithm,
        seed);
  }

  private static List<FlowBlock> blocks(List<Flow> flows) {
    List<FlowBlock> blocks = new ArrayList<>();
    for (int from = 0; from < flows.size(); from += BLOCK) {
      blocks.add(Flows.block(flows.subList(from, Math.min(from + BLOCK, flows.size()))));
    }
    return blocks;
  }

  @Property(tries = 8)
  void whileKeysFitEachIsCountedAsByItself(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int counters, @ForAll boolean isSplit)
      throws Exception {
    Random random = new Random(seed);
    List<Flow> flows = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      int source = random.nextInt(3) == 0 ? random.nextInt(5) : random.nextInt(5_000);
      flows.add(
          new Flow(
              random.nextInt(30), source, random.nextInt(40), 2, random.nextInt(9_000), 1 + i % 9));
    }
    String[] columns =
        HitterRows.SCHEMA.columns().stream()
            .map(column -> column.name())
            .limit(HitterRows.SCHEMA.indexOf("epoch_end"))
            .toArray(String[]::new);
    List<String> together =
        Steps.rows(
            Steps.run(settings(Algorithm.COCO, seed, KEYS), blocks(flows), counters, isSplit),
            columns);
    assertThat(together)
        .isNotEmpty()
        .containsExactlyInAnyOrderElementsOf(
            Steps.rows(
                Steps.run(settings(Algorithm.MV, seed, KEYS), blocks(flows), counters, isSplit),
                columns));
  }

  /** More different pairs than fit; each of ten sources has 5% of the traffic. */
  private static List<Flow> tooMany(Random random, Map<String, Long> truth) {
    List<Flow> flows = new ArrayList<>();
    for (int i = 0; i < 300_000; i++) {
      int source = i % 2 == 0 ? random.nextInt(10) : 256 + i;
      int bytes = 100 + random.nextInt(1_400);
      flows.add(new Flow(1, source, random.nextInt(1 << 24), 1, bytes, 1));
      long address = Flows.source(source);
      String network = "10." + (address >> 16 & 255) + "." + (address >> 8 & 255);
      truth.merge("source " + network + "." + (address & 255), (long) bytes, Long::sum);
      truth.merge("src_addr/24 " + network + ".0/24", (long) bytes, Long::sum);
    }
    return flows;
  }

  @Property(tries = 3)
  void boundsHoldAndNobodyIsMissedWhereMemoryIsFull(@ForAll long seed, @ForAll boolean isSplit)
      throws Exception {
    Map<String, Long> truth = new HashMap<>();
    List<FlowBlock> flows = blocks(tooMany(new Random(seed), truth));
    HitterSettings settings = settings(Algorithm.COCO, seed, "source", "pair", "src_addr/24");
    int within = 0;
    int reported = 0;
    for (TableBlock block : Steps.run(settings, flows, 2, isSplit)) {
      for (int row = 0; row < block.rows(); row++) {
        String key = block.text(row, 1) + " " + block.text(row, 2);
        long lower = block.longs(block.schema().indexOf("lower"))[row];
        long upper = block.longs(block.schema().indexOf("upper"))[row];
        assertThat(block.text(row, block.schema().indexOf("algorithm"))).isEqualTo("coco");
        assertThat(key).isIn(truth.keySet());
        within += lower <= truth.get(key) && truth.get(key) <= upper ? 1 : 0;
        reported++;
      }
    }
    assertThat(reported).isEqualTo(11); // ten sources, and their network
    assertThat(within).isGreaterThanOrEqualTo(10); // 95% of eleven
  }

  /** The mean over seeds approaches the truth, closer than a single estimate. */
  @Example
  void estimatesAreUnbiased() throws Exception {
    Map<String, Long> truth = new HashMap<>();
    List<FlowBlock> flows = blocks(tooMany(new Random(18), truth));
    int seeds = 8;
    Map<String, Long> sums = new HashMap<>();
    double deviation = 0;
    for (int seed = 0; seed < seeds; seed++) {
      HitterSettings settings = settings(Algorithm.COCO, seed, "source", "pair", "src_addr/24");
      for (TableBlock block : Steps.run(settings, flows, 1, false)) {
        for (int row = 0; row < block.rows(); row++) {
          long estimate = block.longs(block.schema().indexOf("estimate"))[row];
          String key = block.text(row, 1) + " " + block.text(row, 2);
          sums.merge(key, estimate, Long::sum);
          // The bounds are √20 standard deviations, or more.
          long upper = block.longs(block.schema().indexOf("upper"))[row];
          deviation = Math.max(deviation, (upper - estimate) / Math.sqrt(20));
        }
      }
    }
    double most = 4 * deviation / Math.sqrt(seeds);
    assertThat(sums).hasSize(11);
    sums.forEach(
        (key, sum) ->
            assertThat((double) sum / seeds)
                .as(key)
                .isBetween(truth.get(key) - most, truth.get(key) + most));
  }

  @Example
  void allColumnsMustFitIntoOneKey() {
    assertThatThrownBy(() -> settings(Algorithm.COCO, 1, "pair", "exporter+next_hop", "port"))
        .hasMessageContaining("algorithm: coco, all columns of (pair exporter+next_hop port)")
        .hasMessageContaining("72 bytes, at most 64");
  }
}
