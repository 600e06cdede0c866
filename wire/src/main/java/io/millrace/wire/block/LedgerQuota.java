package io.millrace.wire.block;

import java.util.Set;

/**
 * Limits of the number of exporters with separate ledgers. A sender chooses its number of exporters
 * (sFlow's agents and sub-agents, NetFlow's domains and ports) and may forge its address, so
 * ledgers are bounded. Beyond the limits, further exporters of a sender are counted together, and
 * finally those of all senders.
 *
 * <p>A long-seen exporter takes precedence over new ones of its sender, until it has been idle for
 * as long as it was seen. Idle exporters are evicted first. Known senders always have their limit
 * per sender.
 *
 * @param perSender ledgers per sender, an IPv4 address or an IPv6 /64; at least 1
 * @param inAll ledgers of all senders, at least 1
 * @param keepMicros idle time after which a ledger is removed, microseconds
 * @param known configured senders
 */
public record LedgerQuota(int perSender, int inAll, long keepMicros, Set<Sender> known) {
  /** Minimum time between the first and the last datagram of a long-seen exporter, microseconds. */
  public static final long LONG_MICROS = 600_000_000L;

  /** A sender with fewer ledgers than this may use the last fifth of the total. */
  public static final int FEW = 8;

  /** 500 per sender, 5,000 in total, for a week. */
  public static final LedgerQuota DEFAULT = new LedgerQuota(500, 5_000, 7 * 86_400_000_000L);

  /**
   * An IPv4 address, or the /64 of an IPv6 address.
   *
   * @param high upper half of the address, in the form of {@link Addresses}
   * @param low lower half, see {@link Addresses#senderLow}
   */
  public record Sender(long high, long low) {
    /** The sender of this address. */
    public static Sender of(long high, long low) {
      return new Sender(high, Addresses.senderLow(high, low));
    }
  }

  /** A quota without known senders. */
  public LedgerQuota(int perSender, int inAll, long keepMicros) {
    this(perSender, inAll, keepMicros, Set.of());
  }

  public LedgerQuota {
    known = Set.copyOf(known);
    if (perSender < 1 || inAll < 1) {
      throw new IllegalArgumentException(
          "a quota of "
              + perSender
              + " exporters per sender, "
              + inAll
              + " in total: expected at least 1 each");
    }
  }

  /** Whether the sender of an address is configured. */
  public boolean isKnown(long high, long low) {
    return known.contains(Sender.of(high, low));
  }

  /**
   * Whether a sender with {@code ofSender} ledgers may have another one, with {@code ofAll} in
   * total.
   */
  public boolean hasRoom(int ofSender, int ofAll) {
    return ofSender < perSender && ofAll < (ofSender < FEW ? inAll : max());
  }

  /** Total number of ledgers above which only senders with few ledgers may get more. */
  public int max() {
    return inAll - inAll / 5;
  }

  /** Whether an exporter is long-seen, and has been idle for at most as long as it was seen. */
  public static boolean isLongSeen(long firstMicros, long lastMicros, long nowMicros) {
    long seen = lastMicros - firstMicros;
    return seen >= LONG_MICROS && nowMicros - lastMicros <= seen;
  }
}
