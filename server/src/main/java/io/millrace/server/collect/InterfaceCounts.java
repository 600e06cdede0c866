package io.millrace.server.collect;

/**
 * What became of the packets that passed an interface whose packets are captured, since the start:
 *
 * <pre>
 *   received = logged + refused + failed + in flight
 * </pre>
 *
 * @param name of the interface
 * @param received packets read from the kernel
 * @param bytes of these on the wire
 * @param droppedByKernel packets for which its ring had no room: nobody has seen more of them
 * @param logged packets that the log has confirmed
 * @param refused packets for which the log had no room
 * @param failed packets that the log did not confirm in time; some may be in it
 * @param failure why nothing is captured now; empty while all is well
 */
public record InterfaceCounts(
    String name,
    long received,
    long bytes,
    long droppedByKernel,
    long logged,
    long refused,
    long failed,
    String failure) {
  /** Packets on the way into the log. */
  public long inFlight() {
    return received - logged - refused - failed;
  }

  /** Packets that passed the interface, as far as the kernel knows. */
  public long passed() {
    return received + droppedByKernel;
  }
}
