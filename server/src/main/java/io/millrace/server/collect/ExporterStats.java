package io.millrace.server.collect;

/**
 * Counts of one exporter in datagrams, since it was first seen, over all restarts. Two sums hold at
 * any time:
 *
 * <pre>
 *   sent + duplicates == received + lostBefore + lostWhileDown + droppedByKernel
 *   received          == rejected + failed + lostAtStop + inFlight + logged
 * </pre>
 *
 * @param key the exporter
 * @param sent datagrams sent according to its sequence numbers; received ones if numbers are
 *     missing
 * @param duplicates datagrams received more than once
 * @param late datagrams received after a later one
 * @param resets restarts of the numbers
 * @param strays datagrams with implausible numbers
 * @param doubts jumps of the numbers that neither a loss nor a restart explains, or back to an
 *     earlier place; not counted as losses
 * @param received datagrams read from the socket
 * @param lostBefore missing, and not dropped by the kernel as far as known: lost before arrival
 * @param lostWhileDown missing in the first gap after a start, or before the last datagram that a
 *     killed process had read: sent while it was down, or in its buffers when it ended
 * @param droppedByKernel missing while the socket's buffer was full
 * @param rejected dropped because the log's buffer was full
 * @param failed dropped because the log timed out
 * @param lostAtStop read and not in the log when the process ended
 * @param inFlight read and neither in the log nor dropped yet
 * @param logged in the log
 * @param firstSeenMicros arrival of the first datagram, microseconds since the epoch
 * @param lastSeenMicros arrival of the last datagram
 * @param lostRecords missing flow records, for protocols that number these and whose headers state
 *     the number (NetFlow version 5)
 * @param skewMicros arrival of the last datagram minus its sending time by the exporter's clock; 0
 *     if the protocol has none
 * @param gaps number and time of gaps
 */
public record ExporterStats(
    ExporterKey key,
    long sent,
    long duplicates,
    long late,
    long resets,
    long strays,
    long doubts,
    long received,
    long lostBefore,
    long lostWhileDown,
    long droppedByKernel,
    long rejected,
    long failed,
    long lostAtStop,
    long inFlight,
    long logged,
    long firstSeenMicros,
    long lastSeenMicros,
    long lostRecords,
    long skewMicros,
    Gaps gaps) {
  /**
   * Gaps in the sequence numbers of datagrams or records, since the start of the process. Late ones
   * may fill some.
   *
   * @param count number of gaps
   * @param lastMicros arrival of the datagram after the last gap, microseconds since the epoch
   */
  public record Gaps(long count, long lastMicros) {
    /** No gaps. */
    public static final Gaps NONE = new Gaps(0, 0);

    Gaps plus(Gaps other) {
      return new Gaps(count + other.count, Math.max(lastMicros, other.lastMicros));
    }
  }

  /** Datagrams that were sent and not read from the socket. */
  public long missing() {
    return lostBefore + lostWhileDown + droppedByKernel;
  }

  /** Datagrams that were read and then lost. */
  public long droppedByUs() {
    return rejected + failed + lostAtStop;
  }

  /** Whether both sums hold. */
  public boolean addsUp() {
    return sent + duplicates == received + missing()
        && received == droppedByUs() + inFlight + logged
        && Math.min(lostBefore, Math.min(lostWhileDown, droppedByKernel)) >= 0
        && inFlight >= 0;
  }
}
