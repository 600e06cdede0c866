package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.sketch.PrefixHitters.PrefixHitter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PrefixHittersPropertyTest {
  private static final List<Integer> LENGTHS = List.of(8, 16, 24, 32);

  /** Addresses in few networks, so that prefixes of all lengths are heavy. */
  private static Stream addresses(int rows, Random random) {
    Stream stream = new Stream(4, random);
    for (int i = 0; i < rows; i++) {
      byte[] address = new byte[4];
      for (int part = 0; part < 4; part++) {
        address[part] = (byte) (256 * Math.pow(random.nextDouble(), 1 + random.nextInt(12)));
      }
      stream.add(Key.of(address), 1 + random.nextInt(5));
    }
    return stream;
  }

  /**
   * By the definition: each address belongs only to the longest reported prefix that contains it.
   */
  private static Map<String, Long> bruteForce(Stream stream, long threshold) {
    Map<Key, Long> left = new HashMap<>(stream.truth);
    Map<String, Long> found = new HashMap<>();
    for (int bits = 32; bits >= 8; bits -= 8) {
      Key mask = Key.mask(4, 0, bits);
      Map<Key, Long> sums = new HashMap<>();
      left.forEach((key, weight) -> sums.merge(key.and(mask), weight, Long::sum));
      sums.values().removeIf(own -> own < threshold);
      sums.forEach((prefix, own) -> found.put(name(prefix, mask), own));
      left.keySet().removeIf(key -> sums.containsKey(key.and(mask)));
    }
    return found;
  }

  private static String name(Key prefix, Key mask) {
    return prefix + "/" + mask;
  }

  private static Map<String, Long> own(List<PrefixHitter> hitters) {
    Map<String, Long> own = new HashMap<>();
    hitters.forEach(h -> own.put(name(h.prefix(), h.mask()), h.own().value()));
    assertThat(own).hasSameSizeAs(hitters);
    return own;
  }

  @Provide
  Arbitrary<Algorithm> precise() {
    return Arbitraries.of(Algorithm.EXACT, Algorithm.MV, Algorithm.LD, Algorithm.FREQUENT_ITEMS);
  }

  @Property(tries = 30)
  void findsWhatBruteForceFinds(@ForAll("precise") Algorithm algorithm, @ForAll long seed) {
    Stream stream = addresses(2_000, new Random(seed));
    PrefixHitters prefixes = new PrefixHitters(algorithm, 4, LENGTHS, 16 << 20, 1_000, seed);
    stream.blocks.forEach(prefixes::update);
    long threshold = stream.total / 40;
    assertThat(own(prefixes.hitters(threshold))).isEqualTo(bruteForce(stream, threshold));
  }

  @Property(tries = 30)
  void findsThemInASketchOfWholeKeys(@ForAll long seed) {
    Stream stream = addresses(2_000, new Random(seed));
    CocoSketch sketch = stream.into(new CocoSketch(4, 4 << 20, seed));
    List<Key> masks = new ArrayList<>();
    for (int bits = 32; bits >= 8; bits -= 8) {
      masks.add(Key.mask(4, 0, bits));
    }
    long threshold = stream.total / 40;
    List<PrefixHitter> found =
        PrefixHitters.find(masks, mask -> sketch.hitters(mask, threshold), threshold);
    assertThat(own(found)).isEqualTo(bruteForce(stream, threshold));
  }

  @Example
  void subtractsTheWeightOfLongerPrefixes() {
    Stream stream = new Stream(4, new Random(1));
    stream.add(Key.of((byte) 10, (byte) 2, (byte) 3, (byte) 4), 20);
    for (int i = 0; i < 60; i++) {
      stream.add(Key.of((byte) 10, (byte) 1, (byte) i, (byte) 1), 1);
    }
    for (int i = 0; i < 20; i++) {
      stream.add(Key.of((byte) 10, (byte) (10 + i), (byte) 0, (byte) 1), 1);
    }
    PrefixHitters prefixes = new PrefixHitters(Algorithm.EXACT, 4, LENGTHS, 1 << 20, 1_000, 1);
    stream.blocks.forEach(prefixes::update);
    assertThat(prefixes.hitters(20))
        .extracting(hitter -> hitter.prefix() + " " + hitter.own().value())
        .containsExactly("0a020304 20", "0a010000 60", "0a000000 20");
  }
}
