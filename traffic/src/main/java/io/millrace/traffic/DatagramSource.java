package io.millrace.traffic;

/** Export datagrams without end. Not thread-safe. */
public interface DatagramSource {
  /** Number of switches that export. */
  int exporters();

  /** IPv4 address of a switch: its agent address, and the sender's where the system allows it. */
  int exporterAddress(int exporter);

  /** Number of networks between which traffic flows. */
  int networks();

  /** AS number of a network, which {@link SampleColumns} names by a number from 0. */
  long asNumber(int network);

  /**
   * Makes the next datagram. Datagrams come in the order of their times; sequences have no gaps.
   */
  void next(ExportDatagram out);
}
