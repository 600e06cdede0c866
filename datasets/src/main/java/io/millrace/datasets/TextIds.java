package io.millrace.datasets;

/**
 * Bases of text ids derived from the content, so that every process and every replay assigns the
 * same id to the same text without coordination.
 *
 * <pre>
 *   63  62                            31 30                      0
 *   +---+-------------------------------+------------------------+
 *   | 0 | hash of fingerprint and range | first id + ordinal     |
 *   +---+-------------------------------+------------------------+
 * </pre>
 *
 * A range belongs to one field, or is shared by several ({@link Dataset#idRange}): then a text of
 * both fields, which a store keeps once, has an id close to all others of either.
 *
 * <p>Two contents collide with probability 2⁻³²; among a thousand file versions with two fields
 * each, any two collide with probability 1 in 2,000. A registry of bases compares fingerprints to
 * detect it.
 */
public final class TextIds {
  private static final int ORDINAL_BITS = 31;

  private TextIds() {}

  /** Offset from a text ordinal of a field to its id; never negative. */
  public static long base(Dataset dataset, int field) {
    long hash = mix(dataset.fingerprint() + mix(dataset.idRange(field) + 1));
    return (hash >>> (Long.SIZE - 32) << ORDINAL_BITS) + dataset.firstId(field);
  }

  /** Position of an id from {@link #base} in its range. */
  public static int ordinal(long id) {
    return (int) id & Integer.MAX_VALUE;
  }

  static long baseOf(long id) {
    return id & -1L << ORDINAL_BITS;
  }

  /** MurmurHash3 finalizer, Stafford's variant 13: each input bit affects each output bit. */
  public static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
