package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Estimate;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.PrefixHitters;
import io.millrace.wire.block.Addresses;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Networks of all lengths: prefixes of an address in steps of 8 bits, of IPv4 from /8 to /32 and of
 * IPv6 from /32 to /64.
 *
 * <pre>
 *   key    address, zeros after the prefix (16 bytes) | its length (4)
 * </pre>
 */
final class Networks {
  static final int KEY_BYTES = 20;

  static final int MAX_LENGTHS = 5;

  private static final int[] V4 = {8, 16, 24, 32};
  private static final int[] V6 = {32, 40, 48, 56, 64};
  private static final int ADDRESS_BYTES = 16;

  private Networks() {}

  private static int[] lengths(boolean isV4) {
    return isV4 ? V4 : V6;
  }

  static int longest(boolean isV4) {
    int[] lengths = lengths(isV4);
    return lengths[lengths.length - 1];
  }

  /**
   * Writes the network of an address to a row of keys.
   *
   * @param length index from 0 for the shortest, below {@link #MAX_LENGTHS}
   * @return false, with the row unchanged, if the family has no such length
   */
  static boolean cut(long high, long low, int length, long[][] keys, int row) {
    boolean isV4 = Addresses.isV4(high, low);
    if (length >= lengths(isV4).length || Addresses.isNull(high, low)) {
      return false;
    }
    int bits = lengths(isV4)[length];
    keys[0][row] = HitterKind.cutHigh(isV4, high, bits);
    keys[1][row] = HitterKind.cutLow(isV4, low, bits);
    keys[2][row] = (long) bits << Integer.SIZE;
    return true;
  }

  static int bits(Key network) {
    return (int) (network.word(2) >>> Integer.SIZE);
  }

  /** Networks that are heavy without the heavy networks within them, with that weight. */
  static Map<Key, Long> own(List<Hitter> heavy, long threshold) {
    Map<Key, Long> own = new HashMap<>();
    for (boolean isV4 : new boolean[] {true, false}) {
      Map<Key, Integer> lengths = new LinkedHashMap<>();
      for (int i = lengths(isV4).length - 1; i >= 0; i--) {
        lengths.put(HitterKind.mask(isV4, lengths(isV4)[i]), lengths(isV4)[i]);
      }
      PrefixHitters.find(
              List.copyOf(lengths.keySet()),
              mask ->
                  heavy.stream()
                      .filter(hitter -> HitterKind.isV4(hitter.key()) == isV4)
                      .filter(hitter -> bits(hitter.key()) == lengths.get(mask))
                      .map(hitter -> new Hitter(address(hitter.key()), hitter.estimate()))
                      .toList(),
              threshold)
          .forEach(
              each ->
                  own.put(network(each.prefix(), lengths.get(each.mask())), each.own().value()));
    }
    return own;
  }

  static List<Hitter> with(Map<Key, Long> own) {
    List<Hitter> hitters = new ArrayList<>();
    own.forEach((key, value) -> hitters.add(new Hitter(key, new Estimate(value, value, value))));
    return hitters;
  }

  static List<Hitter> ownChanges(List<Hitter> changed, long threshold) {
    Map<Key, Long> own = own(changed, threshold);
    own(changed.stream().map(Networks::turned).toList(), threshold)
        .forEach((key, fall) -> own.put(key, -fall));
    return with(own);
  }

  private static Hitter turned(Hitter changed) {
    long change = -changed.estimate().value();
    return new Hitter(changed.key(), new Estimate(change, change, change));
  }

  private static Key address(Key network) {
    return Key.ofWords(ADDRESS_BYTES, network.word(0), network.word(1));
  }

  private static Key network(Key address, int bits) {
    return Key.ofWords(KEY_BYTES, address.word(0), address.word(1), (long) bits << Integer.SIZE);
  }
}
