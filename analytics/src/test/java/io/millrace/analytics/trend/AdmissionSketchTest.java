package io.millrace.analytics.trend;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The bound of Cormode and Muthukrishnan over fixed seeds, on difficult streams. */
class AdmissionSketchTest {
  private static final int WIDTH = 256;
  private static final int ROWS = 200_000;

  @FunctionalInterface
  private interface Stream {
    int keyword(SplittableRandom random, int row);
  }

  private static long add(AdmissionSketch sketch, int keyword, long bucket) {
    byte[] bytes = ("k" + keyword).getBytes(StandardCharsets.UTF_8);
    return sketch.add(bucket, bytes, 0, bytes.length, 1);
  }

  private static void holds(Stream stream) {
    int above = 0;
    int keywords = 0;
    for (long seed = 0; seed < 5; seed++) {
      AdmissionSketch sketch = new AdmissionSketch(WIDTH, seed);
      SplittableRandom random = new SplittableRandom(seed);
      Map<Integer, Integer> truth = new HashMap<>();
      for (int row = 0; row < ROWS; row++) {
        int keyword = stream.keyword(random, row);
        truth.merge(keyword, 1, Integer::sum);
        add(sketch, keyword, 0);
      }
      for (Map.Entry<Integer, Integer> known : truth.entrySet()) {
        // a query counts once more
        long certain = add(sketch, known.getKey(), 0);
        long estimate = certain + sketch.error();
        assertThat(estimate).isGreaterThan(known.getValue());
        above += certain > known.getValue() + 1 ? 1 : 0;
        keywords++;
        if (keywords % 2_000 == 0) {
          break; // querying many would itself be another stream
        }
      }
    }
    assertThat((double) above / keywords).isLessThan(Math.exp(-4));
  }

  @Test
  void theLowerBoundRarelyExceedsTheTruth() {
    holds((random, row) -> row); // all distinct
    holds((random, row) -> random.nextInt(5_000)); // all alike
    holds((random, row) -> (int) Math.exp(11 * random.nextDouble())); // Zipf's law
    holds((random, row) -> row / 40); // sorted
  }

  @Test
  void isExactForOneKeywordAndKeepsBucketsApart() {
    AdmissionSketch sketch = new AdmissionSketch(1 << 14, 1);
    for (int i = 1; i <= 1_000; i++) {
      long certain = add(sketch, 7, 1);
      assertThat(certain + sketch.error()).isEqualTo(i);
    }
    assertThat(add(sketch, 7, 2) + sketch.error()).isEqualTo(1);
  }

  @Test
  void isRestoredFromItsBytes() {
    AdmissionSketch sketch = new AdmissionSketch(WIDTH, 9);
    for (int i = 0; i < 1_000; i++) {
      add(sketch, i % 10, 0);
    }
    BlockBuffer out = new BlockBuffer(16);
    sketch.copy().write(out);
    AdmissionSketch restored = AdmissionSketch.read(new BlockInput(out.bytes(), 0, out.length()));
    assertThat(add(restored, 3, 0)).isEqualTo(add(sketch, 3, 0));
    sketch.clear();
    assertThat(sketch.isEmpty()).isTrue();
    assertThat(restored.isEmpty()).isFalse();
  }
}
