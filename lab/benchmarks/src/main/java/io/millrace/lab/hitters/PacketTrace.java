package io.millrace.lab.hitters;

import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Packets with 104-bit keys by Zipf's law, one epoch at a time in memory, with the expected
 * results. With churn, a fifth of the ranks get new keys in each epoch, so that keys of any weight
 * appear and disappear. Not thread-safe.
 */
final class PacketTrace {
  /** IPv4 addresses, ports and protocol. */
  static final int KEY_BYTES = 13;

  private static final int BLOCK_ROWS = 4096;
  private static final int CHURN_ONE_IN = 5;

  private final SplittableRandom random;
  private final boolean hasChurn;
  private final int packets;
  private final Zipf zipf;

  /** Key number by rank. */
  private int[] names;

  private int[] counts;
  private int[] namesBefore;
  private int[] countsBefore;
  private int namesGiven;

  /**
   * Creates a trace, before its first epoch.
   *
   * @param packets packets per epoch
   */
  PacketTrace(int packets, int tuples, boolean hasChurn, long seed) {
    this.packets = packets;
    this.hasChurn = hasChurn;
    random = new SplittableRandom(seed);
    zipf = new Zipf(tuples);
    names = new int[tuples];
    Arrays.setAll(names, rank -> rank);
    namesGiven = tuples;
    counts = new int[tuples];
  }

  /** Returns the packets of the next epoch in order, by analyzer; a key belongs to one analyzer. */
  List<List<KeyBlock>> next(int analyzers) {
    namesBefore = names.clone();
    countsBefore = counts;
    counts = new int[names.length];
    for (int rank = 0; hasChurn && rank < names.length; rank++) {
      if (random.nextInt(CHURN_ONE_IN) == 0) {
        names[rank] = namesGiven++;
      }
    }
    List<List<KeyBlock>> parts = new ArrayList<>();
    for (int i = 0; i < analyzers; i++) {
      parts.add(new ArrayList<>(List.of(new KeyBlock(KEY_BYTES, BLOCK_ROWS))));
    }
    for (int i = 0; i < packets; i++) {
      int rank = zipf.next(random);
      counts[rank]++;
      long name = names[rank];
      List<KeyBlock> part = parts.get((int) (name % analyzers));
      KeyBlock block = part.get(part.size() - 1);
      if (block.rows() == BLOCK_ROWS) {
        block = new KeyBlock(KEY_BYTES, BLOCK_ROWS);
        part.add(block);
      }
      write(name, block);
    }
    return parts;
  }

  /** Merges the packets block by block for a single analyzer. */
  static List<KeyBlock> together(List<List<KeyBlock>> parts) {
    List<KeyBlock> all = new ArrayList<>();
    int most = parts.stream().mapToInt(List::size).max().orElse(0);
    for (int i = 0; i < most; i++) {
      for (List<KeyBlock> part : parts) {
        if (i < part.size()) {
          all.add(part.get(i));
        }
      }
    }
    return all;
  }

  private static void write(long name, KeyBlock block) {
    int row = block.rows();
    block.setRows(row + 1);
    block.word(0)[row] = mix(name);
    block.word(1)[row] = mix(~name) << (Long.SIZE - Byte.SIZE * (KEY_BYTES - Long.BYTES));
    block.weights()[row] = 1;
  }

  /** Mixes bits one-to-one: the finaliser of MurmurHash3 with Stafford's constants. */
  static long mix(long z) {
    long mixed = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return mixed ^ (mixed >>> 31);
  }

  private static Key key(long name) {
    KeyBlock block = new KeyBlock(KEY_BYTES, 1);
    write(name, block);
    return block.key(0);
  }

  /** Returns the keys of the epoch that reach the threshold, with their counts. */
  Map<Key, Long> hitters(long threshold) {
    Map<Key, Long> hitters = new HashMap<>();
    for (int rank = 0; rank < counts.length; rank++) {
      if (counts[rank] >= threshold) {
        hitters.put(key(names[rank]), (long) counts[rank]);
      }
    }
    return hitters;
  }

  /**
   * Returns keys with a change of at least the threshold since the preceding epoch, and the change.
   */
  Map<Key, Long> changers(long threshold) {
    Map<Key, Long> changers = new HashMap<>();
    for (int rank = 0; rank < counts.length; rank++) {
      long now = counts[rank];
      long before = countsBefore[rank];
      if (names[rank] == namesBefore[rank]) {
        put(changers, names[rank], now - before, threshold);
      } else {
        put(changers, names[rank], now, threshold);
        put(changers, namesBefore[rank], -before, threshold);
      }
    }
    return changers;
  }

  private static void put(Map<Key, Long> changers, int name, long change, long threshold) {
    if (Math.abs(change) >= threshold) {
      changers.put(key(name), change);
    }
  }
}
