package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Invalid or damaged snapshots are rejected, or give a working sketch. */
class SketchFuzzTest {
  private static final long MEMORY = 32 << 10;

  @Property(tries = 600)
  void anyBytesAreReadOrRejected(@ForAll Algorithm algorithm, @ForAll long seed) {
    Random random = new Random(seed);
    Stream stream = Stream.of(Stream.Kind.ZIPF, 4, 600, random);
    HitterSketch written = stream.into(algorithm.create(4, MEMORY, seed));
    byte[] bytes = HitterSketchPropertyTest.snapshot(written);
    for (int i = random.nextInt(4); i > 0; i--) {
      int within = random.nextBoolean() ? Math.min(64, bytes.length) : bytes.length;
      bytes[random.nextInt(within)] = (byte) random.nextInt();
    }
    if (random.nextInt(4) == 0) {
      bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
    }
    HitterSketch sketch = algorithm.create(4, MEMORY, 0);
    try {
      sketch.read(new BlockInput(bytes, 0, bytes.length));
    } catch (BlockFormatException e) {
      return;
    }
    stream.into(sketch);
    sketch.hitters(Math.max(1, stream.total / 10));
    assertThat(sketch.bytes()).isLessThanOrEqualTo(MEMORY);
  }

  @Property(tries = 200)
  void arbitraryBytesAreNotAnAdaptiveSketch(@ForAll long seed) {
    Random random = new Random(seed);
    Stream stream = Stream.of(Stream.Kind.DISTINCT, 4, 100 + random.nextInt(4_000), random);
    byte[] bytes = HitterSketchPropertyTest.snapshot(stream.into(new Adaptive(4, MEMORY, seed)));
    for (int i = random.nextInt(4); i > 0; i--) {
      bytes[random.nextInt(64)] = (byte) random.nextInt();
    }
    Adaptive sketch = new Adaptive(4, MEMORY, 0);
    try {
      sketch.read(new BlockInput(bytes, 0, bytes.length));
    } catch (BlockFormatException e) {
      return;
    }
    stream.into(sketch);
    assertThat(sketch.bytes()).isLessThanOrEqualTo(MEMORY);
  }
}
