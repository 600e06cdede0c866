package io.millrace.wire.record;

/**
 * Partition of a key as in Kafka's own producers: MurmurHash2 of its bytes, with Kafka's seed, so
 * that other producers with the same key use the same partition.
 */
public final class KafkaPartitions {
  private static final int SEED = 0x9747b28c;
  private static final int M = 0x5bd1e995;
  private static final int R = 24;

  private KafkaPartitions() {}

  /** The partition of a key, 0 to {@code partitions - 1}. */
  public static int of(byte[] bytes, int offset, int length, int partitions) {
    return (murmur2(bytes, offset, length) & Integer.MAX_VALUE) % partitions;
  }

  static int murmur2(byte[] bytes, int offset, int length) {
    int h = SEED ^ length;
    int at = offset;
    for (int words = length / 4; words > 0; words--, at += 4) {
      int k =
          (bytes[at] & 0xFF)
              | (bytes[at + 1] & 0xFF) << 8
              | (bytes[at + 2] & 0xFF) << 16
              | bytes[at + 3] << 24;
      k *= M;
      k ^= k >>> R;
      k *= M;
      h *= M;
      h ^= k;
    }
    int left = length & 3;
    if (left > 0) {
      for (int i = left - 1; i >= 0; i--) {
        h ^= (bytes[at + i] & 0xFF) << (8 * i);
      }
      h *= M;
    }
    h ^= h >>> 13;
    h *= M;
    return h ^ (h >>> 15);
  }
}
