package io.millrace.lab.hitters;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.ExactCounts;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HittersBenchmarkTest {
  /** The benchmark itself compares exact counting with the expected results. */
  @Test
  void eachAlgorithmBeginsWithOneMebibyteAndOneAnalyzer() throws Exception {
    List<Figure> figures = new ArrayList<>();
    Options.of(new HittersBenchmark(), "--rows", "1000000")
        .run(BenchContext.of(Path.of("."), figures::add));
    for (Algorithm algorithm : Algorithm.values()) {
      List<Map<String, Object>> own =
          figures.stream()
              .map(Figure::params)
              .filter(params -> params.get("algorithm").equals(algorithm.label()))
              .toList();
      assertThat(own.get(0)).containsEntry("analyzers", 1).containsEntry("kind", "hitters");
      if (algorithm != Algorithm.EXACT) {
        assertThat(own.get(0)).containsEntry("memory_kib", 1024L);
      }
      assertThat(own).anySatisfy(params -> assertThat(params).containsEntry("kind", "changers"));
      assertThat(own).anySatisfy(params -> assertThat(params).containsEntry("analyzers", 2));
    }
    assertThat(figures)
        .filteredOn(f -> f.metric().equals("recall") && f.target().isPresent())
        .hasSize(4)
        .allSatisfy(f -> assertThat(f.target().get().isMetBy(f.value())).isTrue());
  }

  /** The benchmark itself fails if the state exceeds the limit. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void keysSeenOnceLeaveNoState(boolean isOfTrends) throws Exception {
    List<Figure> figures = new ArrayList<>();
    Options.of(new KeySoakBenchmark(isOfTrends), "--rows", "400000")
        .run(BenchContext.of(Path.of("."), figures::add));
    assertThat(figures).extracting(Figure::metric).containsExactly("held_mib", "rate");
  }

  @Test
  void ranksHaveTheExpectedShares() {
    int ranks = 1_000;
    int draws = 200_000;
    int[] counts = new int[ranks];
    Zipf zipf = new Zipf(ranks);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < draws; i++) {
      counts[zipf.next(random)]++;
    }
    double sum = 0;
    for (int rank = 1; rank <= ranks; rank++) {
      sum += 1.0 / rank;
    }
    for (int rank : new int[] {1, 2, 3, 10, 100, 1_000}) {
      double expected = draws / sum / rank;
      assertThat((double) counts[rank - 1])
          .isBetween(expected - 5 * Math.sqrt(expected), expected + 5 * Math.sqrt(expected));
    }
  }

  /** Expected results match the packets, including those of keys that appeared or disappeared. */
  @Test
  void theExpectedResultIsThatOfTheBlocks() {
    PacketTrace trace = new PacketTrace(20_000, 1_000, true, 3);
    ExactCounts before = counted(trace.next(2));
    ExactCounts now = counted(trace.next(2));
    assertThat(trace.hitters(50)).isNotEmpty().hasSameSizeAs(now.hitters(50));
    trace.hitters(50).forEach((key, weight) -> assertThat(now.weight(key)).isEqualTo(weight));
    assertThat(trace.changers(50)).isNotEmpty().hasSameSizeAs(now.changers(before, 50));
    trace
        .changers(50)
        .forEach(
            (key, change) -> assertThat(now.weight(key) - before.weight(key)).isEqualTo(change));
  }

  private static ExactCounts counted(List<List<KeyBlock>> parts) {
    ExactCounts counts = new ExactCounts(PacketTrace.KEY_BYTES, 1 << 22, 4);
    PacketTrace.together(parts).forEach(counts::update);
    return counts;
  }
}
