package io.millrace.traffic.model;

/** Protocol numbers of the IP header (IANA). */
final class IpProtocol {
  static final int ICMP = 1;
  static final int TCP = 6;
  static final int UDP = 17;
  static final int ICMP_V6 = 58;

  private IpProtocol() {}
}
