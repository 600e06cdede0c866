package io.millrace.server.collect;

/**
 * Datagrams of one exporter, since it was first seen, over all restarts. Two equations always hold:
 *
 * <pre>
 *   sent + duplicates == received + lostBefore + lostWhileDown + droppedByKernel
 *   received          == rejected + failed + lostAtStop + inFlight + logged
 * </pre>
 *
 * @param key the exporter
 * @param sent datagrams sent according to the sequence numbers; without numbers, datagrams received
 * @param duplicates datagrams received more than once
 * @param late datagrams received after one with a higher number
 * @param resets restarts of the sequence numbers
 * @param strays datagrams with implausible sequence numbers
 * @param doubts jumps of the sequence numbers that neither a loss nor a restart explains, or back
 *     to an earlier position; not counted as losses
 * @param received datagrams read from the socket
 * @param lostBefore lost before arrival: missing, and not known to be dropped by the kernel
 * @param lostWhileDown sent while Millrace was down, or in its buffers when it was killed: missing
 *     in the first gap after a start, or before the last datagram that a killed process had
 *     received
 * @param droppedByKernel missing while the socket's buffer was full
 * @param rejected dropped because the log's buffer was full
 * @param failed dropped because the log timed out
 * @param lostAtStop read and not in the log when the process ended
 * @param inFlight read, and neither in the log nor dropped yet
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
   * Gaps in the sequence numbers of datagrams or records, since the start of the process. Late
   * datagrams may have filled some.
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

  /** Datagrams that were sent, and not read from the socket. */
  public long missing() {
    return lostBefore + lostWhileDown + droppedByKernel;
  }

  /** Datagrams that were read from the socket, and then lost. */
  public long droppedByUs() {
    return rejected + failed + lostAtStop;
  }

  /** Whether both equations hold. */
  public boolean addsUp() {
    return sent + duplicates == received + missing()
        && received == droppedByUs() + inFlight + logged
        && Math.min(lostBefore, Math.min(lostWhileDown, droppedByKernel)) >= 0
        && inFlight >= 0;
  }
}
