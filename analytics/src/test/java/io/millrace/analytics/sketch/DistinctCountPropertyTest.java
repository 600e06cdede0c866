package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import java.util.Random;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class DistinctCountPropertyTest {
  /** Five standard errors: one of a million counts deviates by more. */
  private static final double FIVE_ERRORS = 5 * 1.04 / Math.sqrt(512);

  /** Tolerance for few items, of which two may share a register. */
  private static final double OF_FEW = 2;

  private static DistinctCount of(long seed, int from, int to) {
    DistinctCount count = new DistinctCount();
    for (int turn = 0; turn < 2; turn++) {
      for (int thing = from; thing < to; thing++) {
        count.add(new SplittableRandom(seed * 31 + thing).nextLong());
      }
    }
    return count;
  }

  private static byte[] written(DistinctCount count) {
    BlockBuffer out = new BlockBuffer(16);
    count.write(out);
    return out.toBytes();
  }

  @Property(tries = 100)
  void countsDuplicatesOnce(
      @ForAll @LongRange(min = 0, max = 1 << 20) long seed,
      @ForAll @IntRange(min = 0, max = 30_000) int things) {
    assertThat((double) of(seed, 0, things).estimate())
        .isCloseTo(things, within(FIVE_ERRORS * things + OF_FEW));
  }

  @Property(tries = 50)
  void partsTogetherAreTheWhole(
      @ForAll @LongRange(min = 0, max = 1 << 20) long seed,
      @ForAll @IntRange(min = 0, max = 3_000) int first,
      @ForAll @IntRange(min = 0, max = 3_000) int second) {
    DistinctCount merged = of(seed, 0, first);
    DistinctCount read = new DistinctCount();
    byte[] bytes = written(of(seed, first / 2, first + second));
    read.read(new BlockInput(bytes, 0, bytes.length));
    merged.merge(read);
    assertThat(written(merged)).isEqualTo(written(of(seed, 0, first + second)));
  }

  @Property(tries = 300)
  void anyBytesAreReadOrRejected(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] bytes = new byte[random.nextInt(600)];
    random.nextBytes(bytes);
    DistinctCount count = new DistinctCount();
    try {
      count.read(new BlockInput(bytes, 0, bytes.length));
    } catch (BlockFormatException e) {
      return;
    }
    assertThat(count.estimate()).isNotNegative();
  }
}
