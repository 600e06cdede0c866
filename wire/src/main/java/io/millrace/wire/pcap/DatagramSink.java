package io.millrace.wire.pcap;

/** Takes the datagrams that {@link DatagramExtractor} finds, on its thread, in capture order. */
@FunctionalInterface
public interface DatagramSink {
  /**
   * One UDP datagram.
   *
   * @param timeMicros capture of the packet that completed it, microseconds since the epoch
   * @param sourceHigh upper half of the source address, as {@link io.millrace.wire.block.Addresses}
   * @param sourceLow lower half
   * @param sourcePort UDP source port
   * @param destinationPort UDP destination port
   * @param bytes holds the payload; not a copy, valid until this method returns
   * @param offset where the payload starts
   * @param length its length in bytes, as far as it was captured
   * @param truncated whether the capture holds less of the payload than was sent
   */
  void datagram(
      long timeMicros,
      long sourceHigh,
      long sourceLow,
      int sourcePort,
      int destinationPort,
      byte[] bytes,
      int offset,
      int length,
      boolean truncated);
}
