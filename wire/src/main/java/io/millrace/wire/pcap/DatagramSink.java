package io.millrace.wire.pcap;

/** Receiver of datagrams from {@link DatagramExtractor}, on its thread, in capture order. */
@FunctionalInterface
public interface DatagramSink {
  /**
   * Receives one UDP datagram.
   *
   * @param timeMicros capture time of the packet that completed it, microseconds since the epoch
   * @param sourceHigh upper half of the source address, as {@link io.millrace.wire.block.Addresses}
   * @param sourceLow lower half
   * @param sourcePort UDP source port
   * @param destinationPort UDP destination port
   * @param bytes holds the payload; not a copy, valid until this method returns
   * @param offset where the payload starts
   * @param length its captured length in bytes
   * @param truncated whether the capture has less of the payload than was sent
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
