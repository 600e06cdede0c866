package io.millrace.server.collect;

/**
 * What a collector knows of one exporter, all counts in datagrams since it was first seen, over all
 * restarts. Two sums hold at any time:
 *
 * <pre>
 *   sent + duplicates == received + lostBefore + lostWhileDown + droppedByKernel
 *   received          == refused + failed + lostAtStop + inFlight + logged
 * </pre>
 *
 * @param key the exporter
 * @param sent datagrams that its sequence numbers say it has sent; those that arrived, where there
 *     are no numbers that we could read
 * @param duplicates datagrams that arrived once more than they were sent
 * @param late datagrams that arrived behind a later one
 * @param resets how often the agent began its numbers anew
 * @param strays datagrams whose number fits nowhere
 * @param doubts how often the numbers went on from a place that neither a loss nor a restart
 *     explains, or from one where they had been before; nothing is counted as lost for it
 * @param received datagrams that were read from the socket
 * @param lostBefore missing, and not by the kernel as far as it says: lost on the way here
 * @param lostWhileDown missing in the first gap after a start, and in front of what a killed
 *     process had read last: sent while it was down, or in its buffers when it ended
 * @param droppedByKernel missing, and the socket's buffer was full at that time
 * @param refused dropped because the log had no room
 * @param failed dropped because the log gave up
 * @param lostAtStop read and not in the log when the process ended
 * @param inFlight read and neither in the log nor dropped yet
 * @param logged in the log
 * @param firstSeenMicros arrival of the first datagram, microseconds since the epoch
 * @param lastSeenMicros arrival of the last datagram
 * @param lostRecords flow records missing, where the protocol numbers these and not the datagrams,
 *     and tells in the head how many there are (NetFlow version 5)
 * @param skewMicros arrival of the last datagram by our clock, less its sending by the exporter's;
 *     0 where the protocol does not tell
 * @param gaps how often something was missing
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
    long refused,
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
   * Gaps in the sequence numbers, of datagrams or of records, since this process was started. Some
   * are filled by what comes late.
   *
   * @param count how many there were
   * @param lastMicros arrival of the datagram behind the last one, microseconds since the epoch
   */
  public record Gaps(long count, long lastMicros) {
    /** There was none. */
    public static final Gaps NONE = new Gaps(0, 0);

    /** Those of both. */
    Gaps plus(Gaps other) {
      return new Gaps(count + other.count, Math.max(lastMicros, other.lastMicros));
    }
  }

  /** Datagrams that were sent and were not read from the socket. */
  public long missing() {
    return lostBefore + lostWhileDown + droppedByKernel;
  }

  /** Datagrams that were read and then lost by us. */
  public long droppedByUs() {
    return refused + failed + lostAtStop;
  }

  /** Whether both sums hold. */
  public boolean addsUp() {
    return sent + duplicates == received + missing()
        && received == droppedByUs() + inFlight + logged
        && Math.min(lostBefore, Math.min(lostWhileDown, droppedByKernel)) >= 0
        && inFlight >= 0;
  }
}
