package io.millrace.traffic.model;

/** Flags of the TCP header (RFC 9293 section 3.1). */
final class TcpFlags {
  static final int FIN = 0x01;
  static final int SYN = 0x02;
  static final int RST = 0x04;
  static final int PSH = 0x08;
  static final int ACK = 0x10;

  private TcpFlags() {}
}
