package io.millrace.server.collect;

/**
 * Outcome of the packets of a captured interface, since the start:
 *
 * <pre>
 *   received = logged + rejected + failed + in flight
 * </pre>
 *
 * @param name of the interface
 * @param received packets read from the kernel
 * @param bytes of these on the wire
 * @param droppedByKernel packets dropped because the ring was full
 * @param logged packets confirmed by the log
 * @param rejected packets dropped because the log's buffer was full
 * @param failed packets that the log did not confirm in time; some may be in it
 * @param failure why capture is stopped; empty if it runs
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
  /** Packets not yet in the log. */
  public long inFlight() {
    return received - logged - rejected - failed;
  }

  /** Packets that passed the interface, as counted by the kernel. */
  public long passed() {
    return received + droppedByKernel;
  }
}
