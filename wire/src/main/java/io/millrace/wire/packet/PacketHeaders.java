package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;
import static io.millrace.wire.packet.BigEndian.u8;

import io.millrace.wire.block.FlowBlock;

/**
 * Headers of one packet, complete or truncated: a reused view, which {@link #read} moves to a
 * packet without allocation.
 *
 * <p>{@link LinkHeaders} finds the first IP layer, {@link IpHeaders} reads it, and {@link #enter}
 * moves through a tunnel to the inner IP layer. One object whose code is in three classes, since
 * the hot loop reads all fields.
 *
 * <p>A header may end anywhere. Fields before its end are valid, the rest is {@link
 * FlowBlock#NULL}; a packet without both addresses is rejected. Never throws, never reads outside
 * the given bytes, and takes time linear in their number. Not thread-safe.
 */
public final class PacketHeaders extends LinkHeaders {
  private static final int MAX_PSEUDOWIRES = 4;

  private final boolean isFrameKnown;

  /** An empty view. */
  public PacketHeaders() {
    this(true);
  }

  /** {@code isFrameKnown}: lengths on the wire are those of frames, and limit IP's own. */
  PacketHeaders(boolean isFrameKnown) {
    this.isFrameKnown = isFrameKnown;
  }

  /**
   * Moves to a packet's first IP layer.
   *
   * @param link link type
   * @param packet holds the packet
   * @param off where it starts
   * @param len number of captured bytes
   * @param wireLength length on the wire in bytes; used if IP's own length is 0, as with
   *     segmentation offload
   * @return whether the packet is IP with both addresses; otherwise the view is invalid
   */
  public boolean read(LinkType link, byte[] packet, int off, int len, int wireLength) {
    return read(IpLayer.OUTER, link, packet, off, len, wireLength);
  }

  /**
   * Moves to the packet's first or last IP layer. For the last, Ethernet after MPLS labels is read
   * too.
   */
  public boolean read(
      IpLayer layer, LinkType link, byte[] packet, int off, int len, int wireLength) {
    bytes = packet;
    int packetEnd = off + len;
    wireEnd = (long) off + wireLength;
    isComplete = isFrameKnown && len == wireLength; // smaller than the captured length: invalid
    vlan = FlowBlock.NULL;
    frame = -1;
    label = FlowBlock.NULL;
    etherType = 0;
    tunnel = Tunnel.NONE;
    tunnelId = FlowBlock.NULL;
    layers = 0;
    reject = null;
    pseudowiresLeft = layer == IpLayer.INNER ? MAX_PSEUDOWIRES : 0;
    if (!first(link, off, packetEnd)) {
      return false;
    }
    while (layer == IpLayer.INNER && enter()) {
      // each iteration begins after the headers of the previous one
    }
    if (reject != null) {
      // A tunnel's payload need not be IP, and fragments have only a part of it.
      reject = reject == PacketReject.NOT_IP || isFragment() ? null : PacketReject.BAD_TUNNEL;
    }
    return true;
  }

  /**
   * Reason why the last packet is not IP; for an IP packet, {@link PacketReject#BAD_TUNNEL} if
   * inner headers are truncated or invalid. Null otherwise.
   */
  public PacketReject reject() {
    return reject;
  }

  /**
   * Moves through the tunnel in the IP layer to the inner IP layer.
   *
   * @return false without change if there is no tunnel or no IP in it
   */
  public boolean enter() {
    return switch (protocol) {
      case PacketLayout.IPV4_IN_IP -> entered(Tunnel.IP_IN_IP, ipv4(transport, end));
      case PacketLayout.IPV6_IN_IP -> entered(Tunnel.SIX_IN_IP, ipv6(transport, end));
      case PacketLayout.GRE -> gre(transport);
      case PacketLayout.UDP ->
          end - transport >= PacketLayout.UDP_LENGTH
              && switch (u16(bytes, transport + PacketLayout.DST_PORT_OFFSET)) {
                case PacketLayout.PORT_GTP_U -> gtp();
                case PacketLayout.PORT_VXLAN, PacketLayout.PORT_VXLAN_LINUX -> vxlan();
                case PacketLayout.PORT_GENEVE -> geneve();
                case PacketLayout.PORT_GRE -> gre(transport + PacketLayout.UDP_LENGTH);
                default -> u16(bytes, transport) == PacketLayout.PORT_GTP_U && gtp();
              };
      default -> false;
    };
  }

  private boolean entered(Tunnel kind, boolean isIp) {
    if (isIp) {
      tunnel(kind, FlowBlock.NULL);
    }
    return isIp;
  }

  /** Tags and labels of the inner frame take precedence over the tunnel. */
  private boolean entered(Tunnel kind, long id, int type, int at) {
    if (at > end) {
      return reject(PacketReject.BAD_TUNNEL);
    }
    Tunnel outerKind = tunnel;
    long outerId = tunnelId;
    int outerVlan = vlan;
    tunnel(kind, id);
    boolean isIp =
        type == PacketLayout.ETHER_TYPE_BRIDGED ? ethernet(at, end) : link(type, at, end);
    if (!isIp) {
      tunnel(outerKind, outerId);
      vlan = outerVlan;
    }
    return isIp;
  }

  private boolean gre(int start) {
    int at = start;
    if (end - at < PacketLayout.GRE_LENGTH) {
      return reject(PacketReject.BAD_TUNNEL);
    }
    int flags = u16(bytes, at);
    int type = u16(bytes, at + 2);
    int version = flags & PacketLayout.GRE_VERSION_MASK;
    at += PacketLayout.GRE_LENGTH;
    if ((flags & (PacketLayout.GRE_CHECKSUM | PacketLayout.GRE_ROUTING)) != 0) {
      at += 4;
    }
    long key = FlowBlock.NULL;
    if ((flags & PacketLayout.GRE_KEY) != 0) {
      if (end - at < 4) {
        return reject(PacketReject.BAD_TUNNEL);
      }
      key = version == 1 ? u16(bytes, at + 2) : u32(bytes, at);
      at += 4;
    }
    boolean hasSequence = (flags & PacketLayout.GRE_SEQUENCE) != 0;
    at += hasSequence ? 4 : 0;
    at += version == 1 && (flags & PacketLayout.GRE_ACKNOWLEDGEMENT) != 0 ? 4 : 0;
    if (version > 1 || (flags & PacketLayout.GRE_ROUTING) != 0) {
      return reject(PacketReject.BAD_TUNNEL);
    }
    switch (type) {
      case PacketLayout.ETHER_TYPE_ERSPAN -> {
        at += hasSequence ? PacketLayout.ERSPAN_2_LENGTH : 0;
        type = PacketLayout.ETHER_TYPE_BRIDGED;
      }
      case PacketLayout.ETHER_TYPE_ERSPAN_3 -> {
        if (end - at < PacketLayout.ERSPAN_3_LENGTH) {
          return reject(PacketReject.BAD_TUNNEL);
        }
        boolean hasSubheader = (u8(bytes, at + PacketLayout.ERSPAN_3_LENGTH - 1) & 1) != 0;
        at += PacketLayout.ERSPAN_3_LENGTH + (hasSubheader ? 8 : 0);
        type = PacketLayout.ETHER_TYPE_BRIDGED;
      }
      case PacketLayout.ETHER_TYPE_PPP -> {
        if (end - at >= 2 && u16(bytes, at) == PacketLayout.PPP_ADDRESS_CONTROL) {
          at += 2;
        }
        if (end - at < 2) { // an acknowledgement has no payload
          return reject(end == at ? PacketReject.NOT_IP : PacketReject.BAD_TUNNEL);
        }
        boolean isShort = (u8(bytes, at) & 1) != 0;
        type = typeByPpp(isShort ? u8(bytes, at) : u16(bytes, at));
        at += isShort ? 1 : 2;
      }
      default -> {}
    }
    return entered(Tunnel.GRE, key, type, at);
  }

  private boolean vxlan() {
    int at = transport + PacketLayout.UDP_LENGTH;
    if (end - at < PacketLayout.VXLAN_LENGTH
        || (u8(bytes, at) & PacketLayout.VXLAN_HAS_NETWORK) == 0) {
      return reject(PacketReject.BAD_TUNNEL);
    }
    long network = u32(bytes, at + PacketLayout.VXLAN_NETWORK_OFFSET) >>> 8;
    return entered(
        Tunnel.VXLAN, network, PacketLayout.ETHER_TYPE_BRIDGED, at + PacketLayout.VXLAN_LENGTH);
  }

  private boolean geneve() {
    int at = transport + PacketLayout.UDP_LENGTH;
    if (end - at < PacketLayout.GENEVE_LENGTH || u8(bytes, at) >>> 6 != 0) {
      return reject(PacketReject.BAD_TUNNEL);
    }
    int options = (u8(bytes, at) & PacketLayout.GENEVE_OPTIONS_MASK) * 4;
    return entered(
        Tunnel.GENEVE,
        u32(bytes, at + PacketLayout.GENEVE_NETWORK_OFFSET) >>> 8,
        u16(bytes, at + PacketLayout.GENEVE_TYPE_OFFSET),
        at + PacketLayout.GENEVE_LENGTH + options);
  }

  private boolean gtp() {
    int start = transport + PacketLayout.UDP_LENGTH;
    if (!GtpLayout.isUserData(bytes, start, end)) {
      return false;
    }
    int at = GtpLayout.body(bytes, start, end);
    return at < 0
        ? reject(PacketReject.BAD_TUNNEL)
        : entered(
            Tunnel.GTP_U, u32(bytes, start + GtpLayout.TUNNEL_OFFSET), typeByVersion(at, end), at);
  }
}
