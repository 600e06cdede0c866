package io.millrace.wire.pcap;

import io.millrace.wire.block.KeyHash;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaders;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.packet.PacketRejects;
import io.millrace.wire.packet.Tunnel;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reader of the IP packets in captured packets, with reassembly of fragments. The reader itself is
 * the view of the last packet.
 *
 * <p>Every packet has exactly one {@link Outcome} and never causes an exception. Fragments wait in
 * bounded memory. The first fragment of a packet is shown at once, without its payload, since the
 * others may never arrive; the last one shows the whole payload. If a tunnel's packet was
 * fragmented, the last fragment shows the whole inner packet, and its first fragment waits. But if
 * only first fragments of these tunnel endpoints have arrived, as in a capture filtered by ports,
 * the first fragment shows the captured part of the inner packet. Not thread-safe.
 */
public final class IpPackets {
  /** Result of a captured packet. */
  public enum Outcome {
    /** The view shows an IP packet. */
    READ,
    /** A fragment without new content. */
    WAITING,
    /** Not an IP packet, or an invalid one; counted in {@link IpPackets#rejects}. */
    REJECTED
  }

  private static final int PORTS_LENGTH = 4;
  private static final int MAX_LENGTH = 0xFFFF;
  private static final int MAX_ENDS = 4096;

  private final IpLayer layer;
  private final PacketHeaders headers = new PacketHeaders();
  private final IpHeader ip = new IpHeader();
  private final PacketRejects rejects = new PacketRejects();
  private final FragmentTable fragments = new FragmentTable(rejects);

  private final Map<Long, Boolean> continued =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
          return size() > MAX_ENDS;
        }
      };

  private byte[] bytes = new byte[0];
  private int header;
  private int payload;
  private int end;
  private int packets;
  private int length;
  private Tunnel tunnel = Tunnel.NONE;
  private long tunnelId;
  private long tunnelHigh;
  private long tunnelLow;

  /**
   * An empty reader.
   *
   * @param layer IP layer to show of packets in tunnels
   */
  public IpPackets(IpLayer layer) {
    this.layer = layer;
  }

  /** Reads a packet that may be longer on the wire than captured. */
  public Outcome read(
      long timeMicros, LinkType link, byte[] captured, int offset, int capturedLength) {
    return read(timeMicros, link, captured, offset, capturedLength, Long.MAX_VALUE);
  }

  /**
   * Reads one captured packet.
   *
   * @param timeMicros capture time, microseconds since the epoch
   * @param link link type
   * @param captured holds it; the view refers to these bytes without a copy
   * @param offset where it starts
   * @param capturedLength number of captured bytes
   * @param wireLength length on the wire in bytes; limits the length of an IP packet in a
   *     completely captured frame
   */
  public Outcome read(
      long timeMicros,
      LinkType link,
      byte[] captured,
      int offset,
      int capturedLength,
      long wireLength) {
    int limit = offset + capturedLength;
    int at = LinkLayers.ip(link, captured, offset, limit);
    tunnel = Tunnel.NONE;
    if (at < 0) {
      return rejected(LinkLayers.reject(at));
    }
    header = -1;
    boolean isInner = layer == IpLayer.INNER;
    if (isInner && ip.read(captured, at, limit) && ip.isFragment()) {
      return outerFragment(timeMicros, captured, at, limit);
    }
    if (isInner) {
      at = inner(captured, at, limit);
    }
    if (!ip.read(captured, at, limit)) {
      return rejected(ip.reject);
    }
    if (wireLength <= capturedLength) {
      ip.boundLength();
    }
    if (ip.isFragment()) {
      return fragment(timeMicros, captured);
    }
    header = at;
    show(captured, ip.payload, ip.end, 1, ip.length);
    return Outcome.READ;
  }

  private Outcome outerFragment(long timeMicros, byte[] captured, int at, int limit) {
    boolean isFirst = ip.fragmentOffset == 0;
    FragmentTable.Partial whole = fragments.add(ip, timeMicros, captured);
    FragmentTable.Partial of = fragments.current();
    if (!isFirst && of != null) {
      continued.put(ends(), Boolean.TRUE);
    }
    if (whole != null) {
      byte[] packet = packet(whole);
      int inner = inner(packet, 0, packet.length);
      if (inner == 0) {
        return whole(whole, isFirst);
      }
      if (!ip.read(packet, inner, packet.length)) {
        return rejected(ip.reject);
      }
      if (ip.isFragment()) {
        return fragment(timeMicros, packet);
      }
      header = inner;
      boolean isShown = whole.isInnerShown;
      show(packet, ip.payload, ip.end, isShown ? 0 : 1, isShown ? 0 : ip.length);
      return Outcome.READ;
    }
    if (!isFirst) {
      return Outcome.WAITING;
    }
    boolean isContinued = of != null && continued.containsKey(ends());
    int inner = inner(captured, at, limit);
    if (inner != at && (isContinued || (of != null && of.isInnerShown))) {
      tunnel = Tunnel.NONE;
      return Outcome.WAITING; // of another protocol, or repeated
    }
    ip.read(captured, inner, limit);
    if (inner == at || ip.isFragment()) {
      ip.read(captured, at, limit);
      tunnel = Tunnel.NONE;
      showFirst(captured);
    } else {
      header = inner;
      show(captured, ip.payload, ip.end, 1, ip.length);
      if (of != null) {
        of.isInnerShown = true;
      }
    }
    return Outcome.READ;
  }

  private long ends() {
    return KeyHash.of(
        KeyHash.of(ip.sourceHigh, ip.sourceLow), KeyHash.of(ip.destinationHigh, ip.destinationLow));
  }

  private byte[] packet(FragmentTable.Partial whole) {
    int headerLength = ip.v6 ? IpHeader.V6_LENGTH : IpHeader.V4_LENGTH;
    byte[] packet = new byte[headerLength + whole.length];
    ByteBuffer to = ByteBuffer.wrap(packet);
    if (ip.v6) {
      to.put(0, (byte) 0x60);
      to.putShort(4, (short) whole.length);
      to.put(6, (byte) whole.protocol);
      to.putLong(8, ip.sourceHigh).putLong(16, ip.sourceLow);
      to.putLong(24, ip.destinationHigh).putLong(32, ip.destinationLow);
    } else {
      to.put(0, (byte) 0x45);
      to.putShort(2, (short) (packet.length > MAX_LENGTH ? 0 : packet.length)); // 0: to the end
      to.put(9, (byte) whole.protocol);
      to.putInt(12, (int) ip.sourceLow).putInt(16, (int) ip.destinationLow);
    }
    System.arraycopy(whole.bytes, 0, packet, headerLength, whole.length);
    return packet;
  }

  private Outcome rejected(PacketReject why) {
    rejects.add(why);
    return Outcome.REJECTED;
  }

  /** Offset of the last IP layer; of the first one without a tunnel. */
  private int inner(byte[] captured, int at, int limit) {
    int there = limit - at;
    if (!headers.read(layer, LinkType.RAW_IP, captured, at, there, there)) {
      return at;
    }
    if (headers.reject() != null) {
      rejects.add(headers.reject());
    }
    if (headers.layers() == 1) {
      return at;
    }
    tunnel = headers.tunnel();
    tunnelId = headers.tunnelId();
    int inner = headers.ip();
    if (tunnel == Tunnel.GTP_U) {
      boolean isFirst = headers.layers() == 2; // nested tunnels are shown without endpoints
      headers.read(LinkType.RAW_IP, captured, at, there, there);
      tunnelHigh = isFirst ? headers.dstHigh() : 0;
      tunnelLow = isFirst ? headers.dstLow() : 0;
    }
    return inner;
  }

  private Outcome fragment(long timeMicros, byte[] captured) {
    boolean isFirst = ip.fragmentOffset == 0;
    FragmentTable.Partial whole = fragments.add(ip, timeMicros, captured);
    if (whole == null) {
      if (!isFirst) {
        return Outcome.WAITING;
      }
      showFirst(captured);
      return Outcome.READ;
    }
    return whole(whole, isFirst);
  }

  private void showFirst(byte[] captured) {
    show(captured, ip.payload, Math.min(ip.end, ip.payload + PORTS_LENGTH), 1, ip.length);
  }

  private Outcome whole(FragmentTable.Partial whole, boolean isFirst) {
    ip.protocol = whole.protocol;
    ip.payload = 0;
    ip.end = whole.length;
    ip.truncated = false;
    ip.fragmentOffset = 0;
    ip.moreFragments = false;
    if (!ip.skipExtensions(whole.bytes)) {
      return rejected(ip.reject);
    }
    if (ip.v6 && ip.isFragment()) {
      return rejected(PacketReject.BAD_IP_HEADER);
    }
    // The first fragment was counted when it was shown, unless it came last.
    int shown = isFirst ? 0 : 1;
    show(
        whole.bytes,
        ip.payload,
        ip.end,
        whole.packets - shown,
        shown == 0 ? whole.packetBytes : whole.packetBytes - whole.firstBytes);
    return Outcome.READ;
  }

  private void show(byte[] from, int at, int limit, int packetCount, int byteCount) {
    bytes = from;
    payload = at;
    end = limit;
    packets = packetCount;
    length = byteCount;
  }

  /** Array with the payload; overwritten by the owner of the captured bytes. */
  public byte[] bytes() {
    return bytes;
  }

  /** Offset of the IP header in {@link #bytes()}; −1 for a reassembled packet. */
  public int header() {
    return header;
  }

  /** Offset of the transport header in {@link #bytes()}. */
  public int payload() {
    return payload;
  }

  /** End of the captured payload, exclusive. */
  public int end() {
    return end;
  }

  /**
   * Number of packets in this view: more than one for reassembled fragments, 0 for the rest of a
   * packet that was shown before.
   */
  public int packets() {
    return packets;
  }

  /** Bytes of these packets on the wire, IP headers included. */
  public int length() {
    return length;
  }

  /** Number of payload bytes after {@link #end()} that were not captured. */
  public int missing() {
    return ip.missing();
  }

  /** Tunnel of the packet; the innermost of nested ones. */
  public Tunnel tunnel() {
    return tunnel;
  }

  /** The tunnel's id; undefined without a tunnel. */
  public long tunnelId() {
    return tunnelId;
  }

  /**
   * Upper half of the address of a GTP tunnel endpoint; 0 with a lower half of 0 within another
   * tunnel.
   */
  public long tunnelHigh() {
    return tunnelHigh;
  }

  /** Lower half of that address. */
  public long tunnelLow() {
    return tunnelLow;
  }

  /** IP protocol number of the payload. */
  public int protocol() {
    return ip.protocol;
  }

  /** Upper half of the source address, as in {@link io.millrace.wire.block.Addresses}. */
  public long sourceHigh() {
    return ip.sourceHigh;
  }

  /** Lower half of the source address. */
  public long sourceLow() {
    return ip.sourceLow;
  }

  /** Upper half of the destination address. */
  public long destinationHigh() {
    return ip.destinationHigh;
  }

  /** Lower half of the destination address. */
  public long destinationLow() {
    return ip.destinationLow;
  }

  /** Counters of rejected packets. A reader of the packets may add to them. */
  public PacketRejects rejects() {
    return rejects;
  }
}
