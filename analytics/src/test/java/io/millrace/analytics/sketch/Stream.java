package io.millrace.analytics.sketch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Keys with weights in blocks of irregular sizes, with the true weights. */
final class Stream {
  /** Distribution of the keys. */
  enum Kind {
    DISTINCT,
    ONE_KEY,
    SORTED,
    REVERSED,
    ZIPF,
    ALTERNATING,
    /** Keys that collide in few buckets of a sketch with {@link #KNOWN_SEED}. */
    CHOSEN
  }

  static final long KNOWN_SEED = 77;

  private static final int CHOSEN_KEYS = 64;
  private static final int CHOSEN_OF = 1 << 20;

  /** Chosen keys by width, computed once. */
  private static final Map<Integer, Key[]> CHOSEN = new ConcurrentHashMap<>();

  final int keyBytes;
  final List<KeyBlock> blocks = new ArrayList<>();
  final Map<Key, Long> truth = new HashMap<>();
  long total;

  private final Random random;
  private KeyBlock open;

  Stream(int keyBytes, Random random) {
    this.keyBytes = keyBytes;
    this.random = random;
  }

  static Stream of(Kind kind, int keyBytes, int rows, Random random) {
    Stream stream = new Stream(keyBytes, random);
    Key[] keys;
    if (kind == Kind.CHOSEN) {
      keys = CHOSEN.computeIfAbsent(keyBytes, Stream::chosen);
    } else {
      keys = new Key[rows];
      Arrays.setAll(keys, i -> stream.randomKey());
    }
    int[] ranks = new int[rows];
    for (int i = 0; i < rows; i++) {
      int zipf = (int) Math.pow(rows, random.nextDouble()) - 1;
      ranks[i] =
          switch (kind) {
            case DISTINCT -> i;
            case ONE_KEY -> 0;
            case ALTERNATING -> i % 3 == 0 ? i : i % 2;
            case CHOSEN -> random.nextInt(keys.length);
            case SORTED, REVERSED, ZIPF -> zipf;
          };
    }
    if (kind == Kind.SORTED || kind == Kind.REVERSED) {
      Arrays.sort(ranks);
    }
    for (int i = 0; i < rows; i++) {
      int rank = ranks[kind == Kind.REVERSED ? rows - 1 - i : i];
      stream.add(keys[rank], 1 + random.nextInt(3));
    }
    return stream;
  }

  /** Keys, of a large number, whose hashes are small in both of the first rows. */
  private static Key[] chosen(int keyBytes) {
    SplittableRandom random = new SplittableRandom(keyBytes);
    long[] words = new long[KeyBlock.words(keyBytes)];
    KeyHash[] hashes = KeyHash.several(2, words.length, KNOWN_SEED);
    TreeMap<Long, Key> chosen = new TreeMap<>();
    for (int i = 0; i < CHOSEN_OF; i++) {
      for (int word = 0; word < words.length; word++) {
        words[word] = random.nextLong() & KeyHash.mask(Byte.SIZE * keyBytes, word);
      }
      long larger =
          Math.max(
              hashes[0].hash(words, 0, KeyHash.WHOLE), hashes[1].hash(words, 0, KeyHash.WHOLE));
      if (chosen.size() < CHOSEN_KEYS || larger < chosen.lastKey()) {
        chosen.put(larger, new Key(keyBytes, words.clone()));
      }
      if (chosen.size() > CHOSEN_KEYS) {
        chosen.pollLastEntry();
      }
    }
    return chosen.values().toArray(Key[]::new);
  }

  Key randomKey() {
    byte[] bytes = new byte[keyBytes];
    random.nextBytes(bytes);
    return Key.of(bytes);
  }

  Stream add(Key key, long weight) {
    if (open == null || open.rows() == open.capacity()) {
      open = new KeyBlock(keyBytes, 1 + random.nextInt(700));
      blocks.add(open);
    }
    open.add(key, weight);
    truth.merge(key, weight, Long::sum);
    total += weight;
    return this;
  }

  /** Fills the sketch and returns it. */
  <S extends HitterSketch> S into(S sketch) {
    blocks.forEach(sketch::update);
    return sketch;
  }

  long weight(Key key) {
    return truth.getOrDefault(key, 0L);
  }

  /** Keys with the threshold or more. */
  List<Key> hitters(long threshold) {
    return truth.keySet().stream().filter(key -> truth.get(key) >= threshold).toList();
  }

  /** Its keys, and as many that are not in the stream. */
  List<Key> someKeys() {
    List<Key> keys = new ArrayList<>(truth.keySet());
    for (int i = keys.size(); i > 0; i--) {
      keys.add(randomKey());
    }
    return keys;
  }
}
