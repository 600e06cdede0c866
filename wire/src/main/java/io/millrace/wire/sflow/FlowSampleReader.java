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
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaderParser;
import io.millrace.wire.packet.PacketLayout;
import java.util.Arrays;

/**
 * Reads flow samples into rows.
 *
 * <p>One pass over the records notes where the packet is and writes what is said about it; the
 * packet comes last, so that the order of the records does not matter. A row counts only when
 * {@link #read} says so: what a broken sample has left in the columns is overwritten by the next
 * one.
 *
 * <p>Bytes for a sample with a raw header of 128 bytes: 216 to walk over, of which about 140 are
 * read, and 148 to write.
 */
final class FlowSampleReader {
  /** In the column {@code sampling_source}. */
  private static final int UNKNOWN_SOURCE = 0;

  private static final long NO_IPV4 = Addresses.v4Low(0);

  private final PacketHeaderParser packets;
  private FlowBlock out;
  private int[] samplingRate;
  private boolean hasImpossibleRate;
  private int[] srcVlan;
  private int[] dstVlan;
  private int[] inIf;
  private int[] outIf;
  private int[] outIfFormat;

  // What the records of the sample at hand have said.
  private int rawAt;
  private int sampledIpv4At;
  private int sampledIpv6At;
  private boolean hasFrame;
  private boolean hasRoute; // something was written to optional columns
  private int switchSrcVlan;
  private int badRecordAt;
  private int failedAt;

  /** A reader of that layer of sampled packets. */
  FlowSampleReader(IpLayer layer) {
    packets = new PacketHeaderParser(layer);
  }

  /** Takes the columns of {@code block}, which must not grow before {@link #finish}. */
  void begin(FlowBlock block) {
    out = block;
    samplingRate = block.ints(FlowColumn.SAMPLING_RATE);
    srcVlan = block.ints(FlowColumn.SRC_VLAN);
    dstVlan = block.ints(FlowColumn.DST_VLAN);
    inIf = block.ints(FlowColumn.IN_IF);
    outIf = block.ints(FlowColumn.OUT_IF);
    outIfFormat = block.ints(FlowColumn.OUT_IF_FORMAT);
  }

  /**
   * Fills the columns that are the same for all rows of a datagram, and says how many there are.
   */
  void finish(FlowBlock block, int rows, long timeMicros, long exporterHigh, long exporterLow) {
    int first = block.rows();
    Arrays.fill(block.longs(FlowColumn.TIME), first, rows, timeMicros);
    Arrays.fill(block.addressHigh(FlowColumn.EXPORTER), first, rows, exporterHigh);
    Arrays.fill(block.addressLow(FlowColumn.EXPORTER), first, rows, exporterLow);
    Arrays.fill(block.longs(FlowColumn.PACKETS), first, rows, 1);
    int[] logIndex = block.logIndex();
    for (int i = first; i < rows; i++) {
      logIndex[i] = i;
    }
    block.rows(rows);
  }

  /** Where in the array the last malformed sample went wrong. */
  int failedAt() {
    return failedAt;
  }

  /**
   * Reads the sample in [{@code at}, {@code end}) into a row.
   *
   * @return null if the row is filled, else why there is none
   */
  RejectReason read(byte[] bytes, int at, int end, boolean expanded, int row) {
    RejectReason reason = readSample(bytes, at, end, expanded, row);
    if (reason != null && hasRoute) {
      out.nullOptional(row, row + 1);
      hasRoute = false;
    }
    hasImpossibleRate = reason == null && !FlowBounds.isRate(samplingRate[row]);
    if (hasImpossibleRate) {
      samplingRate[row] = FlowBlock.NULL;
      out.ints(FlowColumn.SAMPLING_SOURCE)[row] = UNKNOWN_SOURCE;
    }
    return reason;
  }

  /**
   * Where in the array the first malformed record of the sample that was read last starts; -1 if
   * none is. The row has what the other records say.
   */
  int badRecordAt() {
    return badRecordAt;
  }

  /** Whether the row that was read last lacks its sampling rate, since the sample's cannot be. */
  boolean hasImpossibleRate() {
    return hasImpossibleRate;
  }

  private RejectReason readSample(byte[] bytes, int at, int end, boolean expanded, int row) {
    failedAt = at - TAG_LENGTH;
    badRecordAt = -1;
    int records;
    int fixedLength;
    if (expanded) {
      fixedLength = SflowLayout.EXPANDED_FLOW_SAMPLE_LENGTH;
      if (end - at < fixedLength) {
        return RejectReason.BAD_SAMPLE_LENGTH;
      }
      samplingRate[row] = i32(bytes, at + SflowLayout.EXPANDED_SAMPLING_RATE_OFFSET);
      inIf[row] = i32(bytes, at + SflowLayout.EXPANDED_INPUT_OFFSET);
      outIfFormat[row] = i32(bytes, at + SflowLayout.EXPANDED_OUTPUT_FORMAT_OFFSET);
      outIf[row] = i32(bytes, at + SflowLayout.EXPANDED_OUTPUT_OFFSET);
      records = i32(bytes, at + SflowLayout.EXPANDED_RECORDS_OFFSET);
    } else {
      fixedLength = SflowLayout.FLOW_SAMPLE_LENGTH;
      if (end - at < fixedLength) {
        return RejectReason.BAD_SAMPLE_LENGTH;
      }
      int output = i32(bytes, at + SflowLayout.FLOW_OUTPUT_OFFSET);
      samplingRate[row] = i32(bytes, at + SflowLayout.FLOW_SAMPLING_RATE_OFFSET);
      inIf[row] = i32(bytes, at + SflowLayout.FLOW_INPUT_OFFSET) & SflowLayout.INTERFACE_VALUE_MASK;
      outIfFormat[row] = output >>> SflowLayout.INTERFACE_VALUE_BITS;
      outIf[row] = output & SflowLayout.INTERFACE_VALUE_MASK;
      records = i32(bytes, at + SflowLayout.FLOW_RECORDS_OFFSET);
    }
    readRecords(bytes, at + fixedLength, end, records, row);
    if (rawAt >= 0 && rawHeader(bytes, rawAt, row)) {
      if (switchSrcVlan != FlowBlock.NULL) {
        srcVlan[row] = switchSrcVlan;
      }
      return null;
    }
    if (sampledIpv4At >= 0 || sampledIpv6At >= 0) {
      sampledIp(bytes, row);
      srcVlan[row] = switchSrcVlan;
      return null;
    }
    if (badRecordAt >= 0) {
      failedAt = badRecordAt;
      return RejectReason.BAD_RECORD_LENGTH;
    }
    return hasFrame ? RejectReason.NOT_IP : RejectReason.NO_PACKET;
  }

  private void badRecord(int at) {
    badRecordAt = badRecordAt < 0 ? at : badRecordAt;
  }

  /** A record whose length cannot be leaves no way to those that follow; others are skipped. */
  private void readRecords(byte[] bytes, int at, int end, int records, int row) {
    rawAt = -1;
    sampledIpv4At = -1;
    sampledIpv6At = -1;
    hasFrame = false;
    switchSrcVlan = FlowBlock.NULL;
    dstVlan[row] = FlowBlock.NULL;
    hasRoute = false;
    boolean hasRouter = false;
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
        case SflowLayout.EXTENDED_ROUTER -> {
          int masks = addressEnd(bytes, body, body + length);
          sound = masks >= 0 && body + length - masks >= SflowLayout.ROUTER_MASKS_LENGTH;
          if (sound) {
            hasRouter |= nextHop(bytes, body, row);
          }
        }
        case SflowLayout.EXTENDED_GATEWAY -> {
          int path = addressEnd(bytes, body, body + length);
          sound = path >= 0 && gateway(bytes, path, body + length, row);
          if (sound && !hasRouter) {
            nextHop(bytes, body, row);
          }
        }
        default -> {}
      }
      if (!sound) {
        badRecord(at);
      }
      at = Math.min(end, body + padded(length));
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
    if (rawAt < 0 && linkType(i32(bytes, at)) != LinkType.UNKNOWN) {
      rawAt = at;
      hasFrame = true;
    }
    return true;
  }

  private static LinkType linkType(int protocol) {
    return switch (protocol) {
      case SflowLayout.PROTOCOL_ETHERNET -> LinkType.ETHERNET;
      case SflowLayout.PROTOCOL_IPV4 -> LinkType.IPV4;
      case SflowLayout.PROTOCOL_IPV6 -> LinkType.IPV6;
      default -> LinkType.UNKNOWN;
    };
  }

  private boolean rawHeader(byte[] bytes, int at, int row) {
    return packets.parse(
        linkType(i32(bytes, at)),
        bytes,
        at + SflowLayout.RAW_HEADER_LENGTH,
        i32(bytes, at + SflowLayout.RAW_HEADER_LENGTH_OFFSET),
        i32(bytes, at + SflowLayout.RAW_FRAME_LENGTH_OFFSET)
            - i32(bytes, at + SflowLayout.RAW_STRIPPED_OFFSET),
        out,
        row);
  }

  private static int vlan(int word) {
    return word >>> 16 == 0 ? word : FlowBlock.NULL;
  }

  /** Where the bytes after an address begin; -1 if it does not fit or its family does not exist. */
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

  /** Writes an address to a column, unless it is unknown or all zero; gives whether it did. */
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
    hasRoute = true;
    out.addressHigh(column)[row] = high;
    out.addressLow(column)[row] = low;
    return true;
  }

  private boolean nextHop(byte[] bytes, int at, int row) {
    return address(bytes, at, FlowColumn.NEXT_HOP, row);
  }

  /**
   * The AS numbers of both ends. An empty path, and a source AS of 0, say that the end is in the
   * router's own AS.
   */
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
    hasRoute = true;
    out.ints(FlowColumn.EXPORTER_SRC_AS)[row] = asOrNull(source != 0 ? source : own);
    out.ints(FlowColumn.EXPORTER_DST_AS)[row] = asOrNull(last != 0 ? last : own);
    return true;
  }

  private static int asOrNull(int as) {
    return as == 0 ? FlowBlock.NULL : as;
  }

  /** Sampled IPv4 and IPv6 records: the same fields around addresses of different length. */
  private void sampledIp(byte[] bytes, int row) {
    int at;
    int behind;
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
      behind = addresses + 8;
      out.ints(FlowColumn.ETHER_TYPE)[row] = PacketLayout.ETHER_TYPE_IPV4;
    } else {
      at = sampledIpv6At;
      int addresses = at + SflowLayout.SAMPLED_ADDRESS_OFFSET;
      srcHigh[row] = i64(bytes, addresses);
      srcLow[row] = i64(bytes, addresses + 8);
      dstHigh[row] = i64(bytes, addresses + 16);
      dstLow[row] = i64(bytes, addresses + 24);
      behind = addresses + 32;
      out.ints(FlowColumn.ETHER_TYPE)[row] = PacketLayout.ETHER_TYPE_IPV6;
    }
    int protocol = i32(bytes, at + SflowLayout.SAMPLED_PROTOCOL_OFFSET) & 0xFF;
    boolean hasPorts = PacketLayout.hasPorts(protocol) || PacketLayout.isIcmp(protocol);
    out.longs(FlowColumn.BYTES)[row] = u32(bytes, at);
    out.ints(FlowColumn.PROTO)[row] = protocol;
    out.ints(FlowColumn.SRC_PORT)[row] =
        hasPorts ? i32(bytes, behind + SflowLayout.SAMPLED_SRC_PORT_OFFSET) & 0xFFFF : -1;
    out.ints(FlowColumn.DST_PORT)[row] =
        hasPorts ? i32(bytes, behind + SflowLayout.SAMPLED_DST_PORT_OFFSET) & 0xFFFF : -1;
    out.ints(FlowColumn.TCP_FLAGS)[row] =
        protocol == PacketLayout.TCP
            ? i32(bytes, behind + SflowLayout.SAMPLED_TCP_FLAGS_OFFSET)
                & PacketLayout.TCP_FLAGS_MASK
            : FlowBlock.NULL;
    out.ints(FlowColumn.TOS)[row] = i32(bytes, behind + SflowLayout.SAMPLED_TOS_OFFSET) & 0xFF;
  }
}
