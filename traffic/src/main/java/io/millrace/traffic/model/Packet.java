package io.millrace.traffic.model;

/** The last sampled packet, from {@link TrafficModel} to {@link PacketWriter}. */
public final class Packet {
  /** Networks in the model's numbering, not the pool's. */
  public int srcNetwork;

  public int dstNetwork;
  boolean v6;
  public long srcHigh;
  public long srcLow;
  public long dstHigh;
  public long dstLow;
  public int protocol;

  /** Port, or the type for ICMP. */
  public int srcPort;

  /** Port, or the code for ICMP. */
  public int dstPort;

  /** Total length of the IP datagram. */
  public int ipLength;

  /** TCP flags; -1 for other protocols. */
  public int tcpFlags;

  public int tos;
  int hopLimit;
}
