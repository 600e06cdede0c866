package io.millrace.datasets;

/**
 * Bases of text ids that follow from the content alone, so that every process, and a replay next
 * year, gives the same text the same id without asking anyone.
 *
 * <pre>
 *   63  62                            31 30                      0
 *   +---+-------------------------------+------------------------+
 *   | 0 | hash of fingerprint and range | first id + ordinal     |
 *   +---+-------------------------------+------------------------+
 * </pre>
 *
 * A range is a field's own, or several share one, behind each other ({@link Dataset#idRange}): then
 * a text that both have, and a store keeps once, has an id near to all others of either.
 *
 * <p>Two contents collide with a chance of 2⁻³²; among a thousand generations of files with two
 * fields each, the chance that any two do is one in two thousand. Who keeps a registry of bases
 * compares the fingerprint there.
 */
public final class TextIds {
  private static final int ORDINAL_BITS = 31;

  private TextIds() {}

  /** What is added to the ordinals of a field's texts; never negative. */
  public static long base(Dataset dataset, int field) {
    long hash = mix(dataset.fingerprint() + mix(dataset.idRange(field) + 1));
    return (hash >>> (Long.SIZE - 32) << ORDINAL_BITS) + dataset.firstId(field);
  }

  /** The place in its range of an id that was made with {@link #base}. */
  public static int ordinal(long id) {
    return (int) id & Integer.MAX_VALUE;
  }

  /** The beginning of the range of an id that was made with {@link #base}. */
  static long baseOf(long id) {
    return id & -1L << ORDINAL_BITS;
  }

  /**
   * The finalizer of MurmurHash3 in Stafford's variant 13: each input bit moves each output bit.
   */
  public static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
