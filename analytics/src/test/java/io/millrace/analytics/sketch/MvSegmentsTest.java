package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MvSegmentsTest {
  private static final int SEGMENTS = 5;
  private static final int KEY_BYTES = 13;
  private static final int MEMORY = 32 << 10;
  private static final long MIN = 1_000;

  /** Byte for byte, also if some counts were merged from elsewhere. */
  @Test
  void eachSegmentEqualsASeparateSketch() {
    Random random = new Random(7);
    MvSegments segments = new MvSegments(SEGMENTS, KEY_BYTES, MEMORY, 3);
    MvSketch[] alone = new MvSketch[SEGMENTS];
    for (int i = 0; i < SEGMENTS; i++) {
      alone[i] = MvSketch.withVariances(KEY_BYTES, MEMORY, 3);
    }
    Map<String, Long> sums = new HashMap<>();
    int known = 0;
    MvSketch elsewhere = MvSketch.withVariances(KEY_BYTES, MEMORY, 3);
    for (int i = 0; i < 40; i++) {
      KeyBlock all = KeyBlock.withVariances(KEY_BYTES, 700);
      int[] segmentOf = new int[700];
      for (int row = 0; row < 700; row++) {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        key[0] = 0;
        key[1] = (byte) (random.nextInt(4) == 0 ? random.nextInt(3) : key[1]);
        if (row % 50 == 0) {
          Arrays.fill(key, (byte) 1); // heavy
        }
        KeyBlock one = KeyBlock.withVariances(KEY_BYTES, 1);
        one.add(Key.of(key), 1 + random.nextInt(1_000));
        one.variances()[0] = random.nextInt(50);
        all.add(one.key(0), one.weights()[0]);
        all.variances()[row] = one.variances()[0];
        segmentOf[row] = random.nextInt(SEGMENTS - 1); // the last segment gets no rows
        alone[segmentOf[row]].update(one);
      }
      long[] bounds = new long[700];
      segments.update(all, segmentOf, MIN, bounds);
      for (int row = 0; row < 700; row++) {
        sums.merge(segmentOf[row] + " " + all.key(row), all.weights()[row], Long::sum);
      }
      for (int row = 0; row < 700; row++) {
        assertThat(bounds[row]).isLessThanOrEqualTo(sums.get(segmentOf[row] + " " + all.key(row)));
        assertThat(bounds[row] == 0 || bounds[row] >= MIN).isTrue();
        known += bounds[row] == 0 ? 0 : 1;
      }
      elsewhere.update(all);
    }
    assertThat(known).isPositive();
    alone[0].merge(elsewhere);
    segments.merge(0, elsewhere);
    long total = 0;
    for (int i = 0; i < SEGMENTS; i++) {
      BlockBuffer expected = new BlockBuffer(16);
      BlockBuffer written = new BlockBuffer(16);
      alone[i].write(expected);
      segments.write(i, written);
      assertThat(written.toBytes()).isEqualTo(expected.toBytes());
      assertThat(segments.total(i)).isEqualTo(alone[i].total());
      total += alone[i].total();
    }
    assertThat(segments.total()).isEqualTo(total);
    assertThat(segments.total(SEGMENTS - 1)).isZero();
  }
}
