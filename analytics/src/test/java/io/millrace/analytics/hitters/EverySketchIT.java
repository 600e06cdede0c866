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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each sketch in the steps of the pipeline, compared with exact counts of more keys than fit. */
class EverySketchIT {
  private static final int HEAVY = 30;
  private static final int ROWS = 400_000;

  private static final List<Map<String, Long>> TRUTH = List.of(new HashMap<>(), new HashMap<>());
  private static final FlowBlock FLOWS = flows();
  private static final Map<Algorithm, List<TableBlock>> MERGED = new HashMap<>();

  static Stream<Arguments> sketches() {
    return Stream.of(Algorithm.values())
        .filter(algorithm -> algorithm != Algorithm.EXACT)
        .flatMap(
            algorithm -> Stream.of(Arguments.of(algorithm, true), Arguments.of(algorithm, false)));
  }

  /** Two epochs; each heavy source has another weight in the second one. */
  private static FlowBlock flows() {
    Random random = new Random(5);
    List<Flow> flows = new ArrayList<>();
    for (int epoch = 0; epoch < 2; epoch++) {
      for (int i = 0; i < ROWS; i++) {
        boolean isHeavy = i % 4 == 0;
        int heavy = random.nextInt(HEAVY);
        int source = isHeavy ? heavy : 256 + i;
        int size = isHeavy ? 100 * (1 + (epoch == 0 ? heavy : HEAVY - 1 - heavy)) : 200;
        flows.add(new Flow(10 * epoch + 1, source, 1, 1, size, 2));
        TRUTH.get(epoch).merge(address(source), 2L * size, Long::sum);
      }
    }
    return Flows.block(flows);
  }

  private static String address(int source) {
    long low = Flows.source(source);
    return "10." + (low >> 16 & 255) + "." + (low >> 8 & 255) + "." + (low & 255);
  }

  private static HitterSettings settings(Algorithm algorithm, String threshold) {
    return Flows.settings(
        algorithm, HitterSettings.Measure.BYTES, threshold, HitterSettings.MIN_MEMORY, "source");
  }

  private static long cell(TableBlock block, int row, String column) {
    return block.longs(block.schema().indexOf(column))[row];
  }

  /** Merged counts of two subtasks with the same flows. */
  private static List<TableBlock> merged(HitterSettings settings) throws Exception {
    if (!MERGED.containsKey(settings.algorithm())) {
      List<TableBlock> counts = new ArrayList<>(Steps.counted(settings, FLOWS));
      counts.addAll(List.copyOf(counts));
      MERGED.put(settings.algorithm(), Steps.analyzed(new HitterLayer(settings), counts));
    }
    return MERGED.get(settings.algorithm());
  }

  @ParameterizedTest
  @MethodSource("sketches")
  void findsHittersAndChangersWithinItsBounds(Algorithm algorithm, boolean isSplit)
      throws Exception {
    HitterSettings settings = settings(algorithm, "1%");
    int times = isSplit ? 2 : 1;
    List<Map<String, Long>> heavy = List.of(new HashMap<>(), new HashMap<>());
    Map<String, Long> changes = new HashMap<>();
    int within = 0;
    int reported = 0;
    for (TableBlock block :
        isSplit
            ? Steps.analyzed(new HitterJudge(settings), merged(settings))
            : Steps.run(settings, List.of(FLOWS), 2, false)) {
      for (int row = 0; row < block.rows(); row++) {
        int epoch = (int) (cell(block, row, "epoch") / (10 * Flows.SECOND));
        String key = block.text(row, block.schema().indexOf("key"));
        assertThat(block.text(row, block.schema().indexOf("algorithm")))
            .isEqualTo(algorithm.label());
        if (cell(block, row, "rank") != TableBlock.NULL) {
          heavy.get(epoch).put(key, cell(block, row, "estimate"));
        }
        if (cell(block, row, "change_rank") != TableBlock.NULL) {
          changes.put(key, cell(block, row, "change"));
        }
        long weight = times * TRUTH.get(epoch).getOrDefault(key, 0L);
        boolean isWithin =
            cell(block, row, "lower") <= weight && weight <= cell(block, row, "upper");
        within += isWithin ? 1 : 0;
        reported++;
      }
    }
    for (int epoch = 0; epoch < 2; epoch++) {
      long total = TRUTH.get(epoch).values().stream().mapToLong(each -> each).sum();
      List<String> expected = new ArrayList<>();
      TRUTH
          .get(epoch)
          .forEach(
              (key, weight) -> {
                if (weight > total / 95) {
                  expected.add(key);
                }
              });
      assertThat(expected).hasSizeBetween(20, HEAVY);
      assertThat(heavy.get(epoch)).containsKeys(expected.toArray(String[]::new));
      assertThat(heavy.get(epoch)).hasSizeLessThan(HEAVY + 10);
    }
    for (int source : new int[] {0, 1, HEAVY - 2, HEAVY - 1}) {
      String key = address(source);
      long change = times * (TRUTH.get(1).get(key) - TRUTH.get(0).get(key));
      assertThat(changes).containsKey(key);
      assertThat((double) changes.get(key) / change).as(key).isBetween(0.8, 1.2);
    }
    boolean isCertain = algorithm.create(16, 1 << 20, 1).confidence() == 1;
    assertThat((double) within / reported).isBetween(isCertain ? 1 : 0.86, 1.0);
  }

  /** With a limit on the number of keys, chance finds are not among them. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EXACT")
  void findsTheTopOfAll(Algorithm algorithm) throws Exception {
    HitterSettings settings = settings(algorithm, "top 5");
    List<String> top = new ArrayList<>();
    for (TableBlock block : Steps.analyzed(new HitterJudge(settings), merged(settings))) {
      for (int row = 0; row < block.rows(); row++) {
        if (cell(block, row, "epoch") == 0 && cell(block, row, "rank") != TableBlock.NULL) {
          top.add(block.text(row, block.schema().indexOf("key")));
        }
      }
    }
    assertThat(top).hasSize(5).contains(address(HEAVY - 1), address(HEAVY - 2), address(HEAVY - 3));
  }

  /** A sketch cannot be restored from the state of another one. */
  @Test
  void identitiesOfSketchesDiffer() {
    assertThat(
            Stream.of(Algorithm.values())
                .filter(algorithm -> algorithm != Algorithm.EXACT)
                .flatMap(algorithm -> settings(algorithm, "1%").countedIdentities().stream()))
        .doesNotHaveDuplicates();
  }

  @Test
  void exactCountsAreNoSketch() {
    assertThatThrownBy(() -> settings(Algorithm.EXACT, "1%"))
        .hasMessageContaining("algorithm: exact is not a sketch");
  }
}
