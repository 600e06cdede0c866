package io.millrace.traffic;

/**
 * The packet that was sampled last: what {@link TrafficModel} says and {@link PacketWriter} writes.
 */
final class Packet {
  /** Networks as numbered by the model, not by the pool. */
  int srcNetwork;

  int dstNetwork;
  boolean v6;
  long srcHigh;
  long srcLow;
  long dstHigh;
  long dstLow;
  int protocol;

  /** Port, or the type for ICMP. */
  int srcPort;

  /** Port, or the code for ICMP. */
  int dstPort;

  /** Total length of the IP datagram. */
  int ipLength;

  /** TCP flags; -1 for other protocols. */
  int tcpFlags;

  int tos;
  int hopLimit;
}
