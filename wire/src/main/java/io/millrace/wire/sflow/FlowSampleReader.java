package io.millrace.wire.sflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;
import static io.millrace.wire.packet.BigEndian.u32;
import static io.millrace.wire.sflow.SflowLayout.TAG_LENGTH;
import static io.millrace.wire.sflow.SflowLayout.padded;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.NameText;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaderParser;
import io.millrace.wire.packet.PacketLayout;
import io.millrace.wire.packet.Tunnel;

/**
 * Reader of flow samples into rows.
 *
 * <p>One pass over the records notes the position of the packet and writes the other content; the
 * packet is read last, so that the order of records does not matter. If {@link #read} returns a
 * reason, the row is invalid and overwritten by the next.
 *
 * <p>Bytes for a sample with a raw header of 128 bytes: 216 to scan, of which about 140 are read,
 * and 188 to write.
 */
final class FlowSampleReader {
  private static final int UNKNOWN_SOURCE = 0;

  private static final long NO_IPV4 = Addresses.v4Low(0);
  private static final int MAX_MASK = 128;

  // Precedence of the names of the component that discarded a packet.
  private static final int BY_FUNCTION = 1;
  private static final int BY_LINUX = 2;
  private static final int BY_TRAP = 3;

  // Precedence of next hops.
  private static final int BY_MPLS = 1;
  private static final int BY_GATEWAY = 2;
  private static final int BY_ROUTER = 3;

  private final PacketHeaderParser packets;
  private final boolean hasLayer2;
  private FlowBlock out;
  private int[] samplingRate;
  private boolean hasImpossibleRate;
  private int[] srcVlan;
  private int[] dstVlan;
  private int[] inIf;
  private int[] outIf;
  private int[] outIfFormat;
  private int[] direction; // null until a row has one

  // Content of the current sample's records.
  private int rawAt;
  private LinkType rawLink;
  private int sampledIpv4At;
  private int sampledIpv6At;
  private int ethernetAt;
  private int switchSrcVlan;
  private int strippedVlan;
  private int routeRank; // precedence of the current next hop
  private int stackLabel;
  private int tunnelId;
  private Tunnel tunnel;
  private boolean hasFrame;
  private boolean hasOptional; // whether optional columns were written
  private int detailRank; // of a discarded packet only
  private int detailAt;
  private int detailLength;
  private int badRecordAt;
  private int failedAt;

  FlowSampleReader(IpLayer layer, boolean hasLayer2) {
    packets = PacketHeaderParser.ofSamples(layer);
    this.hasLayer2 = hasLayer2;
  }

  /** Uses the columns of {@code block}, which must not grow before {@link #finish}. */
  void begin(FlowBlock block) {
    out = block;
    samplingRate = block.ints(FlowColumn.SAMPLING_RATE);
    srcVlan = block.ints(FlowColumn.SRC_VLAN);
    dstVlan = block.ints(FlowColumn.DST_VLAN);
    inIf = block.ints(FlowColumn.IN_IF);
    outIf = block.ints(FlowColumn.OUT_IF);
    outIfFormat = block.ints(FlowColumn.OUT_IF_FORMAT);
    direction = null;
  }

  void finish(
      FlowBlock block,
      int rows,
      long timeMicros,
      long exporterHigh,
      long exporterLow,
      byte[] bytes,
      int off) {
    int first = block.rows();
    if (rows == first) {
      return;
    }
    long[] time = block.longs(FlowColumn.TIME);
    long[] packets = block.longs(FlowColumn.PACKETS);
    long[] exporterHighs = block.addressHigh(FlowColumn.EXPORTER);
    long[] exporterLows = block.addressLow(FlowColumn.EXPORTER);
    long[] agentHighs = block.addressHigh(FlowColumn.AGENT);
    long[] agentLows = block.addressLow(FlowColumn.AGENT);
    int[] subAgents = block.ints(FlowColumn.SUB_AGENT);
    int[] logIndex = block.logIndex();
    long agentHigh = SflowHeader.agentHigh(bytes, off);
    long agentLow = SflowHeader.agentLow(bytes, off);
    int subAgent = SflowHeader.subAgent(bytes, off);
    for (int row = first; row < rows; row++) { // few rows: one loop is faster than eight calls
      time[row] = timeMicros;
      packets[row] = 1;
      exporterHighs[row] = exporterHigh;
      exporterLows[row] = exporterLow;
      agentHighs[row] = agentHigh;
      agentLows[row] = agentLow;
      subAgents[row] = subAgent;
      logIndex[row] = row;
    }
    block.rows(rows);
  }

  int failedAt() {
    return failedAt;
  }

  /** Reads a sample; returns null if the row was filled, otherwise the reason. */
  RejectReason read(byte[] bytes, int at, int end, boolean expanded, int row) {
    RejectReason reason = readSample(bytes, at, end, expanded, row);
    if (reason != null && hasOptional) {
      out.nullOptional(row, row + 1);
      hasOptional = false;
    }
    hasImpossibleRate = reason == null && !FlowBounds.isRate(samplingRate[row]);
    if (hasImpossibleRate) {
      samplingRate[row] = FlowBlock.NULL;
      out.ints(FlowColumn.SAMPLING_SOURCE)[row] = UNKNOWN_SOURCE;
    }
    return reason;
  }

  /** Offset of the last sample's first malformed record; -1 if there is none. */
  int badRecordAt() {
    return badRecordAt;
  }

  /** Reads a discarded packet's records into the first row; false without a packet. */
  boolean readPacket(byte[] bytes, int at, int end, int records) {
    badRecordAt = -1;
    detailRank = 0;
    readRecords(bytes, at, end, records, 0);
    return makeRow(bytes, 0);
  }

  String detail(byte[] bytes) {
    return detailRank == 0 ? "" : NameText.of(bytes, detailAt, detailLength);
  }

  /** Length of the last frame on the wire in bytes; {@link TableBlock#NULL} if unknown. */
  long frameLength(byte[] bytes) {
    if (rawAt >= 0) {
      return u32(bytes, rawAt + SflowLayout.RAW_FRAME_LENGTH_OFFSET);
    }
    return ethernetAt >= 0 ? u32(bytes, ethernetAt) : TableBlock.NULL;
  }

  boolean hasImpossibleRate() {
    return hasImpossibleRate;
  }

  private RejectReason readSample(byte[] bytes, int at, int end, boolean expanded, int row) {
    failedAt = at - TAG_LENGTH;
    badRecordAt = -1;
    int records;
    int fixedLength;
    int sourceType;
    int source;
    int inputFormat;
    if (expanded) {
      fixedLength = SflowLayout.EXPANDED_FLOW_SAMPLE_LENGTH;
      if (end - at < fixedLength) {
        return RejectReason.BAD_SAMPLE_LENGTH;
      }
      sourceType = i32(bytes, at + SflowLayout.SOURCE_ID_OFFSET);
      source = i32(bytes, at + SflowLayout.SOURCE_INDEX_OFFSET);
      samplingRate[row] = i32(bytes, at + SflowLayout.EXPANDED_SAMPLING_RATE_OFFSET);
      inputFormat = i32(bytes, at + SflowLayout.EXPANDED_INPUT_FORMAT_OFFSET);
      inIf[row] = i32(bytes, at + SflowLayout.EXPANDED_INPUT_OFFSET);
      outIfFormat[row] = i32(bytes, at + SflowLayout.EXPANDED_OUTPUT_FORMAT_OFFSET);
      outIf[row] = i32(bytes, at + SflowLayout.EXPANDED_OUTPUT_OFFSET);
      records = i32(bytes, at + SflowLayout.EXPANDED_RECORDS_OFFSET);
    } else {
      fixedLength = SflowLayout.FLOW_SAMPLE_LENGTH;
      if (end - at < fixedLength) {
        return RejectReason.BAD_SAMPLE_LENGTH;
      }
      source = i32(bytes, at + SflowLayout.SOURCE_ID_OFFSET);
      sourceType = source >>> SflowLayout.SOURCE_INDEX_BITS;
      source &= SflowLayout.SOURCE_INDEX_MASK;
      int input = i32(bytes, at + SflowLayout.FLOW_INPUT_OFFSET);
      int output = i32(bytes, at + SflowLayout.FLOW_OUTPUT_OFFSET);
      samplingRate[row] = i32(bytes, at + SflowLayout.FLOW_SAMPLING_RATE_OFFSET);
      inputFormat = input >>> SflowLayout.INTERFACE_VALUE_BITS;
      inIf[row] = input & SflowLayout.INTERFACE_VALUE_MASK;
      outIfFormat[row] = output >>> SflowLayout.INTERFACE_VALUE_BITS;
      outIf[row] = output & SflowLayout.INTERFACE_VALUE_MASK;
      records = i32(bytes, at + SflowLayout.FLOW_RECORDS_OFFSET);
    }
    readRecords(bytes, at + fixedLength, end, records, row);
    if (!makeRow(bytes, row)) {
      return reasonOfNoRow();
    }
    if (sourceType == SflowLayout.SOURCE_INTERFACE && source != 0) {
      direction(source, inputFormat, row);
    }
    return null;
  }

  private RejectReason reasonOfNoRow() {
    if (badRecordAt >= 0) {
      failedAt = badRecordAt;
      return RejectReason.BAD_RECORD_LENGTH;
    }
    return hasFrame ? RejectReason.NOT_IP : RejectReason.NO_PACKET;
  }

  private void direction(int source, int inputFormat, int row) {
    boolean isInput = inputFormat == 0 && inIf[row] == source;
    boolean isOutput = outIfFormat[row] == 0 && outIf[row] == source;
    if (isInput != isOutput) {
      if (direction == null) {
        direction = out.ints(FlowColumn.DIRECTION);
      }
      direction[row] = isInput ? 0 : 1;
    }
  }

  private boolean makeRow(byte[] bytes, int row) {
    boolean isIp = rawAt >= 0 && rawHeader(bytes, rawAt, row);
    if (isIp) {
      packets.frame(out, row);
    } else if (sampledIpv4At >= 0 || sampledIpv6At >= 0) {
      sampledIp(bytes, row);
      srcVlan[row] = FlowBlock.NULL;
      frameAddresses(bytes, row);
    } else if (!hasLayer2 || !frameWithoutIp(bytes, row)) {
      return false;
    }
    int vlan = switchSrcVlan > 0 ? switchSrcVlan : strippedVlan;
    if (vlan > 0 || srcVlan[row] == FlowBlock.NULL) {
      srcVlan[row] = vlan > 0 ? vlan : switchSrcVlan;
    }
    if (stackLabel >= 0) {
      out.ints(FlowColumn.MPLS_LABEL)[row] = stackLabel;
    }
    boolean isTunnelSeen = isIp && packets.headers().tunnel() != Tunnel.NONE;
    if (!isTunnelSeen && tunnel != Tunnel.NONE) {
      out.ints(FlowColumn.TUNNEL)[row] = tunnel.code();
    }
    if (!isTunnelSeen && tunnelId != FlowBlock.NULL) {
      out.ints(FlowColumn.TUNNEL_ID)[row] = tunnelId;
    }
    return true;
  }

  private boolean frameWithoutIp(byte[] bytes, int row) {
    if (rawAt >= 0 && packets.frameWithoutIp(wireLength(bytes, rawAt), out, row)) {
      return true;
    }
    if (ethernetAt < 0) {
      return false;
    }
    PacketHeaderParser.noIp(out, row);
    int type = i32(bytes, ethernetAt + SflowLayout.ETHERNET_TYPE_OFFSET);
    out.ints(FlowColumn.ETHER_TYPE)[row] = PacketLayout.isEtherType(type) ? type : FlowBlock.NULL;
    out.longs(FlowColumn.BYTES)[row] = u32(bytes, ethernetAt);
    srcVlan[row] = FlowBlock.NULL;
    frameAddresses(bytes, row);
    return true;
  }

  private void frameAddresses(byte[] bytes, int row) {
    if (ethernetAt >= 0) {
      long src = i64(bytes, ethernetAt + SflowLayout.ETHERNET_SRC_OFFSET);
      long dst = i64(bytes, ethernetAt + SflowLayout.ETHERNET_DST_OFFSET);
      out.longs(FlowColumn.SRC_MAC)[row] = src >>> Short.SIZE;
      out.longs(FlowColumn.DST_MAC)[row] = dst >>> Short.SIZE;
    }
  }

  private void badRecord(int at) {
    badRecordAt = badRecordAt < 0 ? at : badRecordAt;
  }

  private void readRecords(byte[] bytes, int at, int end, int records, int row) {
    rawAt = -1;
    sampledIpv4At = -1;
    sampledIpv6At = -1;
    ethernetAt = -1;
    hasFrame = false;
    switchSrcVlan = FlowBlock.NULL;
    strippedVlan = FlowBlock.NULL;
    stackLabel = FlowBlock.NULL;
    tunnelId = FlowBlock.NULL;
    tunnel = Tunnel.NONE;
    dstVlan[row] = FlowBlock.NULL;
    hasOptional = false;
    routeRank = 0;
    for (; records != 0; records--) {
      if (end - at < TAG_LENGTH) {
        badRecord(at);
        return;
      }
      int length = i32(bytes, at + SflowLayout.LENGTH_OFFSET);
      int body = at + TAG_LENGTH;
      if (length < 0 || length > end - body) {
        badRecord(at);
        return;
      }
      boolean sound = true;
      switch (i32(bytes, at)) {
        case SflowLayout.RAW_HEADER -> sound = noteRawHeader(bytes, body, length);
        case SflowLayout.SAMPLED_ETHERNET -> {
          sound = length >= SflowLayout.SAMPLED_ETHERNET_LENGTH;
          hasFrame |= sound;
          ethernetAt = sound ? body : ethernetAt;
        }
        case SflowLayout.SAMPLED_IPV4 -> {
          sound = length >= SflowLayout.SAMPLED_IPV4_LENGTH;
          sampledIpv4At = sound ? body : sampledIpv4At;
        }
        case SflowLayout.SAMPLED_IPV6 -> {
          sound = length >= SflowLayout.SAMPLED_IPV6_LENGTH;
          sampledIpv6At = sound ? body : sampledIpv6At;
        }
        case SflowLayout.EXTENDED_SWITCH -> {
          sound = length >= SflowLayout.EXTENDED_SWITCH_LENGTH;
          if (sound) {
            switchSrcVlan = vlan(i32(bytes, body));
            dstVlan[row] = vlan(i32(bytes, body + SflowLayout.SWITCH_DST_VLAN_OFFSET));
          }
        }
        case SflowLayout.EXTENDED_ROUTER -> sound = router(bytes, body, body + length, row);
        case SflowLayout.EXTENDED_GATEWAY -> {
          int path = addressEnd(bytes, body, body + length);
          sound = path >= 0 && gateway(bytes, path, body + length, row);
          if (sound) {
            nextHop(bytes, body, BY_GATEWAY, row);
          }
        }
        default -> sound = rareRecord(i32(bytes, at), bytes, body, body + length, row);
      }
      if (!sound) {
        badRecord(at);
      }
      at = Math.min(end, body + padded(length));
    }
  }

  private boolean rareRecord(int format, byte[] bytes, int at, int end, int row) {
    switch (format) {
      case SflowLayout.EXTENDED_MPLS -> {
        int stack = addressEnd(bytes, at, end);
        if (stack < 0 || end - stack < 4) {
          return false;
        }
        int labels = i32(bytes, stack);
        if (labels < 0 || labels > (end - stack - 4) / PacketLayout.MPLS_LENGTH) {
          return false;
        }
        nextHop(bytes, at, BY_MPLS, row);
        if (labels > 0) {
          stackLabel = i32(bytes, stack + 4) >>> PacketLayout.MPLS_LABEL_SHIFT;
        }
        return true;
      }
      case SflowLayout.EXTENDED_NAT -> {
        int dst = addressEnd(bytes, at, end);
        if (dst < 0 || addressEnd(bytes, dst, end) < 0) {
          return false;
        }
        address(bytes, at, FlowColumn.NAT_SRC_ADDR, row);
        address(bytes, dst, FlowColumn.NAT_DST_ADDR, row);
        return true;
      }
      case SflowLayout.EXTENDED_NAT_PORT -> {
        if (end - at < SflowLayout.EXTENDED_NAT_PORT_LENGTH) {
          return false;
        }
        port(i32(bytes, at), FlowColumn.NAT_SRC_PORT, row);
        port(i32(bytes, at + 4), FlowColumn.NAT_DST_PORT, row);
        return true;
      }
      case SflowLayout.EXTENDED_VLAN_TUNNEL -> {
        if (end - at < 4 || (i32(bytes, at) != 0 && end - at < 8)) {
          return false;
        }
        if (i32(bytes, at) != 0) {
          strippedVlan = vlan(i32(bytes, at + 4) & PacketLayout.VLAN_ID_MASK);
        }
        return true;
      }
      case SflowLayout.IPV4_TUNNEL_EGRESS, SflowLayout.IPV4_TUNNEL_INGRESS -> {
        boolean sound = end - at >= SflowLayout.SAMPLED_IPV4_LENGTH;
        return sound && tunnel(bytes, at, at + SflowLayout.SAMPLED_ADDRESS_OFFSET + 8);
      }
      case SflowLayout.IPV6_TUNNEL_EGRESS, SflowLayout.IPV6_TUNNEL_INGRESS -> {
        boolean sound = end - at >= SflowLayout.SAMPLED_IPV6_LENGTH;
        return sound && tunnel(bytes, at, at + SflowLayout.SAMPLED_ADDRESS_OFFSET + 32);
      }
      case SflowLayout.VNI_EGRESS, SflowLayout.VNI_INGRESS -> {
        if (end - at < 4) {
          return false;
        }
        tunnelId = i32(bytes, at);
        return true;
      }
      case SflowLayout.EXTENDED_FUNCTION -> {
        return detail(bytes, at, end, BY_FUNCTION);
      }
      case SflowLayout.LINUX_REASON -> {
        return detail(bytes, at, end, BY_LINUX);
      }
      case SflowLayout.HARDWARE_TRAP -> {
        int group = end - at < SflowLayout.TEXT_LENGTH ? -1 : i32(bytes, at);
        if (group < 0 || group > end - at - SflowLayout.TEXT_LENGTH) {
          return false;
        }
        return detail(bytes, at + SflowLayout.TEXT_LENGTH + padded(group), end, BY_TRAP);
      }
      default -> {
        return true;
      }
    }
  }

  private boolean detail(byte[] bytes, int at, int end, int rank) {
    int length = end - at < SflowLayout.TEXT_LENGTH ? -1 : i32(bytes, at);
    if (length < 0 || length > end - at - SflowLayout.TEXT_LENGTH) {
      return false;
    }
    if (length > 0 && rank > detailRank) {
      detailRank = rank;
      detailAt = at + SflowLayout.TEXT_LENGTH;
      detailLength = length;
    }
    return true;
  }

  private void port(int port, FlowColumn column, int row) {
    if (port > 0 && port >>> Short.SIZE == 0) {
      hasOptional = true;
      out.ints(column)[row] = port;
    }
  }

  private boolean tunnel(byte[] bytes, int at, int ports) {
    int protocol = i32(bytes, at + SflowLayout.SAMPLED_PROTOCOL_OFFSET);
    tunnel = Tunnel.of(protocol, i32(bytes, ports + SflowLayout.SAMPLED_DST_PORT_OFFSET));
    return true;
  }

  private boolean router(byte[] bytes, int at, int end, int row) {
    int masks = addressEnd(bytes, at, end);
    if (masks < 0 || end - masks < SflowLayout.ROUTER_MASKS_LENGTH) {
      return false;
    }
    nextHop(bytes, at, BY_ROUTER, row);
    mask(i32(bytes, masks), FlowColumn.SRC_MASK, row);
    mask(i32(bytes, masks + 4), FlowColumn.DST_MASK, row);
    return true;
  }

  private void mask(int length, FlowColumn column, int row) {
    if (length >= 0 && length <= MAX_MASK) {
      hasOptional = true;
      out.ints(column)[row] = length;
    }
  }

  private boolean noteRawHeader(byte[] bytes, int at, int length) {
    if (length < SflowLayout.RAW_HEADER_LENGTH) {
      return false;
    }
    int headerLength = i32(bytes, at + SflowLayout.RAW_HEADER_LENGTH_OFFSET);
    if (headerLength < 0 || headerLength > length - SflowLayout.RAW_HEADER_LENGTH) {
      return false;
    }
    if (rawAt < 0) {
      rawLink = linkType(i32(bytes, at));
      if (rawLink != LinkType.UNKNOWN) {
        rawAt = at;
        hasFrame = true;
      }
    }
    return true;
  }

  private static LinkType linkType(int protocol) {
    return switch (protocol) {
      case SflowLayout.PROTOCOL_ETHERNET -> LinkType.ETHERNET;
      case SflowLayout.PROTOCOL_IPV4 -> LinkType.IPV4;
      case SflowLayout.PROTOCOL_IPV6 -> LinkType.IPV6;
      case SflowLayout.PROTOCOL_PPP, SflowLayout.PROTOCOL_POS -> LinkType.PPP;
      case SflowLayout.PROTOCOL_MPLS -> LinkType.MPLS;
      case SflowLayout.PROTOCOL_AAL5 -> LinkType.LLC;
      case SflowLayout.PROTOCOL_AAL5_IP -> LinkType.RAW_IP;
      default -> LinkType.UNKNOWN;
    };
  }

  private boolean rawHeader(byte[] bytes, int at, int row) {
    return packets.parse(
        rawLink,
        bytes,
        at + SflowLayout.RAW_HEADER_LENGTH,
        i32(bytes, at + SflowLayout.RAW_HEADER_LENGTH_OFFSET),
        wireLength(bytes, at),
        out,
        row);
  }

  private static int wireLength(byte[] bytes, int at) {
    return i32(bytes, at + SflowLayout.RAW_FRAME_LENGTH_OFFSET)
        - i32(bytes, at + SflowLayout.RAW_STRIPPED_OFFSET);
  }

  private static int vlan(int word) {
    return word >>> 16 == 0 ? word : FlowBlock.NULL;
  }

  /** Offset after an address; -1 if it does not fit or has an unknown family. */
  private static int addressEnd(byte[] bytes, int at, int end) {
    if (end - at < 4) {
      return -1;
    }
    int addressEnd =
        switch (i32(bytes, at)) {
          case SflowLayout.ADDRESS_UNKNOWN -> at + 4;
          case SflowLayout.ADDRESS_IPV4 -> at + 8;
          case SflowLayout.ADDRESS_IPV6 -> at + 20;
          default -> Integer.MAX_VALUE;
        };
    return addressEnd <= end ? addressEnd : -1;
  }

  private boolean address(byte[] bytes, int at, FlowColumn column, int row) {
    long high = 0;
    long low = 0;
    switch (i32(bytes, at)) {
      case SflowLayout.ADDRESS_IPV4 -> low = Addresses.v4Low(i32(bytes, at + 4));
      case SflowLayout.ADDRESS_IPV6 -> {
        high = i64(bytes, at + 4);
        low = i64(bytes, at + 12);
      }
      default -> {}
    }
    if (high == 0 && (low == 0 || low == NO_IPV4)) {
      return false;
    }
    hasOptional = true;
    out.addressHigh(column)[row] = high;
    out.addressLow(column)[row] = low;
    return true;
  }

  private void nextHop(byte[] bytes, int at, int rank, int row) {
    if (rank > routeRank && address(bytes, at, FlowColumn.NEXT_HOP, row)) {
      routeRank = rank;
    }
  }

  /** An empty path, and a source AS of 0, mean the router's own AS. */
  private boolean gateway(byte[] bytes, int at, int end, int row) {
    if (end - at < SflowLayout.GATEWAY_PATH_OFFSET) {
      return false;
    }
    int own = i32(bytes, at);
    int source = i32(bytes, at + SflowLayout.GATEWAY_SRC_AS_OFFSET);
    int last = 0;
    int segments = i32(bytes, at + SflowLayout.GATEWAY_SEGMENTS_OFFSET);
    at += SflowLayout.GATEWAY_PATH_OFFSET;
    for (; segments != 0; segments--) {
      if (end - at < 8) {
        return false;
      }
      int count = i32(bytes, at + 4);
      at += 8;
      if (count < 0 || count > (end - at) / 4) {
        return false;
      }
      at += 4 * count;
      if (count > 0) {
        last = i32(bytes, at - 4);
      }
    }
    hasOptional = true;
    out.ints(FlowColumn.EXPORTER_SRC_AS)[row] = asOrNull(source != 0 ? source : own);
    out.ints(FlowColumn.EXPORTER_DST_AS)[row] = asOrNull(last != 0 ? last : own);
    return true;
  }

  private static int asOrNull(int as) {
    return as == 0 ? FlowBlock.NULL : as;
  }

  private void sampledIp(byte[] bytes, int row) {
    int at;
    int afterAddresses;
    long[] srcHigh = out.addressHigh(FlowColumn.SRC_ADDR);
    long[] srcLow = out.addressLow(FlowColumn.SRC_ADDR);
    long[] dstHigh = out.addressHigh(FlowColumn.DST_ADDR);
    long[] dstLow = out.addressLow(FlowColumn.DST_ADDR);
    if (sampledIpv4At >= 0) {
      at = sampledIpv4At;
      int addresses = at + SflowLayout.SAMPLED_ADDRESS_OFFSET;
      srcHigh[row] = 0;
      srcLow[row] = Addresses.v4Low(i32(bytes, addresses));
      dstHigh[row] = 0;
      dstLow[row] = Addresses.v4Low(i32(bytes, addresses + 4));
      afterAddresses = addresses + 8;
      out.ints(FlowColumn.ETHER_TYPE)[row] = PacketLayout.ETHER_TYPE_IPV4;
    } else {
      at = sampledIpv6At;
      int addresses = at + SflowLayout.SAMPLED_ADDRESS_OFFSET;
      srcHigh[row] = i64(bytes, addresses);
      srcLow[row] = i64(bytes, addresses + 8);
      dstHigh[row] = i64(bytes, addresses + 16);
      dstLow[row] = i64(bytes, addresses + 24);
      afterAddresses = addresses + 32;
      out.ints(FlowColumn.ETHER_TYPE)[row] = PacketLayout.ETHER_TYPE_IPV6;
    }
    int protocol = i32(bytes, at + SflowLayout.SAMPLED_PROTOCOL_OFFSET) & 0xFF;
    boolean hasPorts = PacketLayout.hasPorts(protocol) || PacketLayout.isIcmp(protocol);
    out.longs(FlowColumn.BYTES)[row] = u32(bytes, at);
    out.ints(FlowColumn.PROTO)[row] = protocol;
    out.ints(FlowColumn.SRC_PORT)[row] =
        hasPorts ? i32(bytes, afterAddresses + SflowLayout.SAMPLED_SRC_PORT_OFFSET) & 0xFFFF : -1;
    out.ints(FlowColumn.DST_PORT)[row] =
        hasPorts ? i32(bytes, afterAddresses + SflowLayout.SAMPLED_DST_PORT_OFFSET) & 0xFFFF : -1;
    out.ints(FlowColumn.TCP_FLAGS)[row] =
        protocol == PacketLayout.TCP
            ? i32(bytes, afterAddresses + SflowLayout.SAMPLED_TCP_FLAGS_OFFSET)
                & PacketLayout.TCP_FLAGS_MASK
            : FlowBlock.NULL;
    out.ints(FlowColumn.TOS)[row] =
        i32(bytes, afterAddresses + SflowLayout.SAMPLED_TOS_OFFSET) & 0xFF;
  }
}
