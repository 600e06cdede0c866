package io.millrace.wire.block;

import java.util.Set;

/**
 * How many exporters keep a ledger of their own. A sender chooses how many exporters it names
 * (sFlow's agents and sub-agents, NetFlow's domains and ports) and may forge its address, so what
 * is kept for each is bounded; the others of a sender are counted as one, and in the end the others
 * of all.
 *
 * <p>An exporter that was seen for long stays before new ones of its sender, for as long again as
 * it was seen. Silent ones make room first. Those of known senders have room whoever else sends, as
 * many as a sender may have.
 *
 * @param perSender for each sender, an IPv4 address or an IPv6 /64; at least 1
 * @param inAll for all senders together, at least 1
 * @param keepMicros silence after which a ledger is not kept, microseconds
 * @param known senders that somebody has named beforehand
 */
public record LedgerQuota(int perSender, int inAll, long keepMicros, Set<Sender> known) {
  /** From its first to its last datagram, an exporter that was seen for long has so much time. */
  public static final long LONG_MICROS = 600_000_000L;

  /** A sender with fewer ledgers than this may take the last fifth of all. */
  public static final int FEW = 8;

  /** 500 a sender, 5,000 in all, for a week. */
  public static final LedgerQuota DEFAULT = new LedgerQuota(500, 5_000, 7 * 86_400_000_000L);

  /**
   * An IPv4 address, or the /64 of an IPv6 address.
   *
   * @param high upper half of the address, in the form of {@link Addresses}
   * @param low lower half, as {@link Addresses#senderLow} gives it
   */
  public record Sender(long high, long low) {
    /** The sender of this address. */
    public static Sender of(long high, long low) {
      return new Sender(high, Addresses.senderLow(high, low));
    }
  }

  /** A quota of which nobody is known. */
  public LedgerQuota(int perSender, int inAll, long keepMicros) {
    this(perSender, inAll, keepMicros, Set.of());
  }

  /** Checks the ranges. */
  public LedgerQuota {
    known = Set.copyOf(known);
    if (perSender < 1 || inAll < 1) {
      throw new IllegalArgumentException(
          "a quota of " + perSender + " exporters a sender, " + inAll + " in all: at least 1 each");
    }
  }

  /** Whether the sender of an address is known. */
  public boolean isKnown(long high, long low) {
    return known.contains(Sender.of(high, low));
  }

  /** Whether a sender with so many ledgers may have one more, where there are so many in all. */
  public boolean hasRoom(int ofSender, int ofAll) {
    return ofSender < perSender && ofAll < (ofSender < FEW ? inAll : most());
  }

  /** Beyond so many, the rest is for senders with few. */
  public int most() {
    return inAll - inAll / 5;
  }

  /** Whether an exporter was seen for long, and not too long ago. */
  public static boolean isLongSeen(long firstMicros, long lastMicros, long nowMicros) {
    long seen = lastMicros - firstMicros;
    return seen >= LONG_MICROS && nowMicros - lastMicros <= seen;
  }
}
