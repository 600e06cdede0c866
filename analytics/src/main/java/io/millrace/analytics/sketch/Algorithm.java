package io.millrace.analytics.sketch;

import java.security.SecureRandom;

/** Algorithms, with their names in configuration and results. */
public enum Algorithm {
  /** {@link ExactCounts}. */
  EXACT("exact"),
  /** {@link CgtSketch}. */
  CGT("cgt"),
  /** {@link SequentialHashing}. */
  SEQHASH("seqhash"),
  /** {@link FastSketch}. */
  FAST("fast"),
  /** {@link LdSketch}. */
  LD("ld"),
  /** {@link MvSketch}. */
  MV("mv"),
  /** {@link CocoSketch}. */
  COCO("coco"),
  /** {@link FrequentItems}. */
  FREQUENT_ITEMS("frequent-items");

  private final String label;

  Algorithm(String label) {
    this.label = label;
  }

  /** Name in configuration and results. */
  public String label() {
    return label;
  }

  /**
   * An empty sketch with the algorithm's default number of rows.
   *
   * @param keyBytes width of keys, 1 to {@value KeyBlock#MAX_BYTES}
   * @param memory maximum bytes including keys of candidates; at least 16 KiB
   * @param seed of its hash functions
   */
  public HitterSketch create(int keyBytes, long memory, long seed) {
    return switch (this) {
      case EXACT -> new ExactCounts(keyBytes, memory, seed);
      case MV -> new MvSketch(keyBytes, memory, seed);
      case CGT -> new CgtSketch(keyBytes, memory, seed);
      case SEQHASH -> new SequentialHashing(keyBytes, memory, seed);
      case FAST -> new FastSketch(keyBytes, memory, seed);
      case LD -> new LdSketch(keyBytes, memory, seed);
      case COCO -> new CocoSketch(keyBytes, memory, seed);
      case FREQUENT_ITEMS -> new FrequentItems(keyBytes, memory);
    };
  }

  /** An unpredictable seed. */
  public static long randomSeed() {
    return new SecureRandom().nextLong();
  }
}
