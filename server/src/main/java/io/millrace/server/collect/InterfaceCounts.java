package io.millrace.server.collect;

/**
 * Packets of a captured interface by outcome, since the start:
 *
 * <pre>
 *   received = logged + rejected + failed + in flight
 * </pre>
 *
 * @param name name of the interface
 * @param received packets read from the kernel
 * @param bytes bytes of the received packets on the wire
 * @param droppedByKernel packets dropped because the ring was full
 * @param logged packets confirmed by the log
 * @param rejected packets dropped because the log's buffer was full
 * @param failed packets that the log did not confirm in time; some may be in the log
 * @param failure why capture has stopped; empty while it runs
 */
public record InterfaceCounts(
    String name,
    long received,
    long bytes,
    long droppedByKernel,
    long logged,
    long rejected,
    long failed,
    String failure) {
  /** Packets that are not yet in the log or dropped. */
  public long inFlight() {
    return received - logged - rejected - failed;
  }

  /** Packets on the interface, as counted by the kernel. */
  public long passed() {
    return received + droppedByKernel;
  }
}
