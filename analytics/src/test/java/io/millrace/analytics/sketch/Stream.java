package io.millrace.analytics.sketch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Keys with weights in blocks of odd sizes, with the truth beside them. */
final class Stream {
  /** In which way its keys come. */
  enum Kind {
    DISTINCT,
    ONE_KEY,
    SORTED,
    REVERSED,
    ZIPF,
    ALTERNATING
  }

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
    Key[] keys = new Key[rows];
    Arrays.setAll(keys, i -> stream.randomKey());
    int[] ranks = new int[rows];
    for (int i = 0; i < rows; i++) {
      int zipf = (int) Math.pow(rows, random.nextDouble()) - 1;
      ranks[i] =
          switch (kind) {
            case DISTINCT -> i;
            case ONE_KEY -> 0;
            case ALTERNATING -> i % 3 == 0 ? i : i % 2;
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

  /** Fills the sketch and gives it back. */
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

  /** Its keys, and as many that it does not have. */
  List<Key> someKeys() {
    List<Key> keys = new ArrayList<>(truth.keySet());
    for (int i = keys.size(); i > 0; i--) {
      keys.add(randomKey());
    }
    return keys;
  }
}
