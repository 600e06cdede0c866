package io.millrace.traffic;

/** An endless source of export datagrams. Not thread-safe. */
public interface DatagramSource {
  /** Number of switches that export. */
  int exporters();

  /**
   * IPv4 address of a switch: its agent address, and the sender's address where the system allows
   * it.
   */
  int exporterAddress(int exporter);

  /** Number of networks between which traffic flows. */
  int networks();

  /** AS number of a network, which {@link SampleColumns} numbers from 0. */
  long asNumber(int network);

  /**
   * Produces the next datagram. Datagrams are in order of time, and sequence numbers have no gaps.
   */
  void next(ExportDatagram out);
}
