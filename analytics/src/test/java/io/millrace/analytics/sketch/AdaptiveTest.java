package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockInput;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AdaptiveTest {
  private static final long MEMORY = 256 << 10;

  @Test
  void countsExactlyWhileKeysFit() {
    Stream stream = Stream.of(Stream.Kind.ZIPF, 13, 5_000, new Random(1));
    Adaptive sketch = stream.into(new Adaptive(13, MEMORY, 2));
    assertThat(sketch.algorithm()).isEqualTo(Algorithm.EXACT);
    stream.truth.forEach(
        (key, weight) ->
            assertThat(sketch.estimate(key)).isEqualTo(new Estimate(weight, weight, weight)));
  }

  /** The move happens in the middle of an epoch and of a block. */
  @Test
  void losesNothingInTheMoveToASketch() {
    for (Algorithm second : new Algorithm[] {Algorithm.MV, Algorithm.COCO, Algorithm.LD}) {
      Stream stream = Stream.of(Stream.Kind.ALTERNATING, 13, 60_000, new Random(3));
      Adaptive sketch = stream.into(new Adaptive(13, MEMORY, second, 4));
      assertThat(sketch.algorithm()).isEqualTo(second);
      assertThat(sketch.total()).isEqualTo(stream.total);
      assertThat(sketch.bytes()).isLessThanOrEqualTo(MEMORY);
      assertThat(sketch.hitters(stream.total / 10))
          .extracting(Hitter::key)
          .containsExactlyInAnyOrderElementsOf(stream.hitters(stream.total / 10));
      if (sketch.confidence() == 1) {
        for (Key key : stream.truth.keySet()) {
          Estimate estimate = sketch.estimate(key);
          assertThat(stream.weight(key)).isBetween(estimate.lower(), estimate.upper());
        }
      }
      assertThat(sketch.fresh().algorithm()).isEqualTo(Algorithm.EXACT);
    }
  }

  /** Variances are half of the weights, for any algorithm, merged and restored. */
  @Test
  void variancesAreCountedToo() {
    for (Algorithm second : new Algorithm[] {Algorithm.MV, Algorithm.COCO}) {
      for (int rows : new int[] {2_000, 60_000}) {
        Stream stream = Stream.of(Stream.Kind.ALTERNATING, 13, rows, new Random(3));
        Adaptive sketch = Adaptive.withVariances(13, MEMORY, second, 4);
        Adaptive other = Adaptive.withVariances(13, MEMORY, second, 4);
        Map<Key, Long> truth = new HashMap<>();
        long all = 0;
        KeyBlock block = KeyBlock.withVariances(13, 700);
        for (Map.Entry<Key, Long> each : stream.truth.entrySet()) {
          long variance = each.getValue() / 2;
          truth.put(each.getKey(), variance);
          all += variance;
          block.add(each.getKey(), each.getValue());
          block.variances()[block.rows() - 1] = variance;
          if (block.rows() == block.capacity()) {
            (all % 2 == 0 ? sketch : other).update(block);
            block.setRows(0);
          }
        }
        sketch.update(block);
        sketch.merge(other);
        byte[] bytes = HitterSketchPropertyTest.snapshot(sketch);
        Adaptive copy = Adaptive.withVariances(13, MEMORY, second, 10);
        copy.read(new BlockInput(bytes, 0, bytes.length));
        assertThat(copy.total()).isEqualTo(stream.total);
        assertThat(copy.totalVariance()).isEqualTo(all);
        assertThat(copy.bytes()).isLessThanOrEqualTo(MEMORY);
        assertThat(copy.isExact()).isEqualTo(rows == 2_000);
        for (Map.Entry<Key, Long> each : truth.entrySet()) {
          long variance = copy.variance(each.getKey());
          if (copy.isExact()) {
            assertThat(variance).isEqualTo(each.getValue());
          } else if (second == Algorithm.MV) {
            assertThat(variance).isGreaterThanOrEqualTo(each.getValue());
          }
        }
      }
    }
  }

  @Test
  void mergesAndComparesInEachState() {
    Stream few = Stream.of(Stream.Kind.ZIPF, 13, 3_000, new Random(5));
    Stream many = Stream.of(Stream.Kind.ALTERNATING, 13, 60_000, new Random(6));
    for (Stream first : new Stream[] {few, many}) {
      for (Stream second : new Stream[] {few, many}) {
        Adaptive merged = first.into(new Adaptive(13, MEMORY, 7));
        Adaptive other = second.into(new Adaptive(13, MEMORY, 7));
        assertThat(merged.changers(other, first.total + second.total)).isEmpty();
        merged.merge(other);
        assertThat(merged.total()).isEqualTo(first.total + second.total);
        for (Key key : first.truth.keySet()) {
          Estimate estimate = merged.estimate(key);
          assertThat(first.weight(key) + second.weight(key))
              .isBetween(estimate.lower(), estimate.upper());
        }
      }
    }
  }

  @Test
  void snapshotsKeepItsState() {
    for (int rows : new int[] {100, 60_000}) {
      Stream stream = Stream.of(Stream.Kind.ALTERNATING, 13, rows, new Random(8));
      Adaptive sketch = stream.into(new Adaptive(13, MEMORY, 9));
      byte[] bytes = HitterSketchPropertyTest.snapshot(sketch);
      Adaptive copy = new Adaptive(13, MEMORY, 10);
      copy.read(new BlockInput(bytes, 0, bytes.length));
      assertThat(copy.isExact()).isEqualTo(sketch.isExact());
      assertThat(copy.total()).isEqualTo(stream.total);
      assertThat(copy.hitters(rows / 10)).hasSameElementsAs(sketch.hitters(rows / 10));
    }
  }
}
