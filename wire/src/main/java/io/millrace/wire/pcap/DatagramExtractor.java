package io.millrace.wire.pcap;

import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.packet.PacketRejects;

/**
 * Extractor of UDP datagrams from captured packets: it decodes link layer, VLAN tags, MPLS labels,
 * IPv4 or IPv6 with options, and reassembles fragments.
 *
 * <p>Every packet is counted by exactly one counter and never causes an exception. Fragments wait
 * in bounded memory ({@link FragmentTable}). UDP checksums are not verified: a capture on the
 * sending host has wrong ones. Not thread-safe.
 */
public final class DatagramExtractor {
  private static final int UDP_HEADER_LENGTH = 8;

  private final DatagramSink sink;
  private final IpHeader ip = new IpHeader();
  private final PacketRejects rejects = new PacketRejects();
  private final FragmentTable fragments = new FragmentTable(rejects);
  private long datagrams;
  private long truncatedDatagrams;
  private long otherPackets;
  private long malformedPackets;
  private long fragmentPackets;

  /** An extractor that passes datagrams to {@code sink}. */
  public DatagramExtractor(DatagramSink sink) {
    this.sink = sink;
  }

  /** Processes the current packet of a capture. */
  public void packet(CaptureReader capture) {
    packet(
        capture.timeMicros(),
        capture.linkType(),
        capture.bytes(),
        capture.offset(),
        capture.length());
  }

  /**
   * Processes one packet; if it completes a datagram, the sink receives that before this method
   * returns.
   *
   * @param timeMicros capture time, microseconds since the epoch
   * @param linkType link type
   * @param bytes holds it
   * @param offset where it starts
   * @param length number of captured bytes
   */
  public void packet(long timeMicros, LinkType linkType, byte[] bytes, int offset, int length) {
    int limit = offset + length;
    int at = LinkLayers.ip(linkType, bytes, offset, limit);
    if (at < 0) {
      otherPackets++;
    } else if (!ip.read(bytes, at, limit)) {
      malformedPackets++;
    } else if (ip.isFragment()) {
      fragment(timeMicros, bytes);
    } else if (ip.protocol != IpHeader.UDP) {
      otherPackets++;
    } else {
      udp(timeMicros, bytes);
    }
  }

  private void fragment(long timeMicros, byte[] bytes) {
    if (!ip.v6 && ip.protocol != IpHeader.UDP) {
      otherPackets++;
      return;
    }
    FragmentTable.Partial whole = fragments.add(ip, timeMicros, bytes);
    if (whole == null) {
      fragmentPackets++;
      return;
    }
    ip.protocol = whole.protocol;
    ip.payload = 0;
    ip.end = whole.length;
    ip.truncated = false;
    ip.fragmentOffset = 0;
    ip.moreFragments = false;
    if (ip.v6 && (!ip.skipExtensions(whole.bytes) || ip.isFragment())) {
      malformedPackets++;
    } else if (ip.protocol != IpHeader.UDP) {
      otherPackets++;
    } else {
      udp(timeMicros, whole.bytes);
    }
  }

  private void udp(long timeMicros, byte[] bytes) {
    int at = ip.payload;
    int captured = ip.end - at;
    if (captured < UDP_HEADER_LENGTH) {
      malformedPackets++;
      return;
    }
    int length = LinkLayers.uint16(bytes, at + 4);
    if (length == 0) {
      length = captured; // jumbogram (RFC 2675 section 4) or offload
    }
    boolean cut = length > captured;
    if (length < UDP_HEADER_LENGTH || (cut && !ip.truncated)) {
      malformedPackets++;
      return;
    }
    datagrams++;
    if (cut) {
      truncatedDatagrams++;
    }
    sink.datagram(
        timeMicros,
        ip.sourceHigh,
        ip.sourceLow,
        LinkLayers.uint16(bytes, at),
        LinkLayers.uint16(bytes, at + 2),
        bytes,
        at + UDP_HEADER_LENGTH,
        Math.min(length, captured) - UDP_HEADER_LENGTH,
        cut);
  }

  long datagrams() {
    return datagrams;
  }

  /** Number of truncated datagrams among {@link #datagrams()}. */
  public long truncatedDatagrams() {
    return truncatedDatagrams;
  }

  /** Packets that are not IP, or IP but not UDP, including fragments of other protocols. */
  long otherPackets() {
    return otherPackets;
  }

  /** Packets with invalid or truncated IP or UDP headers. */
  public long malformedPackets() {
    return malformedPackets;
  }

  /** Fragments that did not complete a datagram; most became part of a later one. */
  long fragmentPackets() {
    return fragmentPackets;
  }

  /**
   * Fragmented datagrams that were dropped as incomplete, because of their age or a memory limit.
   */
  public long incompleteDatagrams() {
    return rejects.count(PacketReject.MISSING_FRAGMENTS);
  }

  /** Fragmented datagrams that were dropped because their fragments contradict each other. */
  public long contradictoryDatagrams() {
    return rejects.count(PacketReject.CONTRADICTING_FRAGMENTS);
  }
}
