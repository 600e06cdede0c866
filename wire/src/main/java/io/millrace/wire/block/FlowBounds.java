package io.millrace.wire.block;

/**
 * Limits of valid counts and sampling rates. They keep the product of both below 2⁷², so that sums
 * of any number of rows fit into 128 bits.
 */
public final class FlowBounds {
  /** Greatest sampling rate: 1 in 16,777,216. */
  public static final int MAX_RATE = 1 << 24;

  /** Maximum bytes of a record: 256 TiB. */
  public static final long MAX_BYTES = 1L << 48;

  /** Maximum packets of a record. */
  public static final long MAX_PACKETS = 1L << 40;

  private FlowBounds() {}

  /** Whether a sampling rate of 1 in {@code rate} is valid: 1 to {@link #MAX_RATE}. */
  public static boolean isRate(long rate) {
    return rate >= 1 && rate <= MAX_RATE;
  }

  /** Whether a record's bytes and packets are valid; either may be unknown. */
  public static boolean areCounts(long bytes, long packets) {
    return isCount(bytes, MAX_BYTES) && isCount(packets, MAX_PACKETS);
  }

  private static boolean isCount(long count, long max) {
    return count >= FlowBlock.NULL && count <= max;
  }
}
