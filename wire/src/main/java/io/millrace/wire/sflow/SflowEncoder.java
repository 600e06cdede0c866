package io.millrace.wire.sflow;

import static io.millrace.wire.packet.BigEndian.put32;
import static io.millrace.wire.packet.BigEndian.put64;
import static io.millrace.wire.sflow.SflowLayout.ADDRESS_IPV4;
import static io.millrace.wire.sflow.SflowLayout.ADDRESS_IPV6;
import static io.millrace.wire.sflow.SflowLayout.ADDRESS_UNKNOWN;
import static io.millrace.wire.sflow.SflowLayout.TAG_LENGTH;
import static io.millrace.wire.sflow.SflowLayout.padded;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import java.util.Arrays;

/**
 * Writer of sFlow version 5 datagrams into one reused array.
 *
 * <pre>{@code
 * encoder.begin(agentHigh, agentLow, subAgent, sequence++, uptimeMillis);
 * encoder.flowSample(sampleSequence++, 0, ifIndex, rate, pool, 0, inIf, 0, outIf);
 * encoder.rawHeader(SflowLayout.PROTOCOL_ETHERNET, frameLength, 4, header, 0, header.length);
 * encoder.extendedSwitch(vlan, 0, vlan, 0);
 * socket.send(encoder.bytes(), 0, encoder.length());
 * }</pre>
 *
 * <p>Every call updates lengths and counts, so that {@link #bytes()} is a valid datagram at any
 * time. Records are added to the last sample; a record before the first sample is an error. Memory
 * is allocated only to grow the array; the caller limits the length of datagrams ({@link #length()}
 * and the lengths in {@link SflowLayout} show what fits). Not thread-safe.
 */
public final class SflowEncoder {
  private byte[] bytes;
  private int length;
  private int samplesAt;
  private int samples;
  private int sampleAt;
  private int recordsAt;
  private int records;

  /** An encoder with an initial array of {@code capacity} bytes; 1,500 fits usual networks. */
  public SflowEncoder(int capacity) {
    bytes = new byte[Math.max(capacity, SflowLayout.HEADER_LENGTH_IPV6)];
  }

  /** Array with the datagram at index 0; a call that writes may replace it. */
  public byte[] bytes() {
    return bytes;
  }

  /** Length of the datagram so far in bytes. */
  public int length() {
    return length;
  }

  /** A copy of the datagram. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /**
   * Begins a datagram and discards the previous one.
   *
   * @param agentHigh upper half of the agent's address, as {@link Addresses}
   * @param agentLow lower half
   * @param subAgent number of the sub-agent
   * @param sequence number of the datagram
   * @param uptimeMillis milliseconds since the agent started
   */
  public void begin(long agentHigh, long agentLow, int subAgent, int sequence, int uptimeMillis) {
    length = 0;
    samples = 0;
    sampleAt = -1;
    word(SflowLayout.VERSION);
    address(agentHigh, agentLow);
    word(subAgent);
    word(sequence);
    word(uptimeMillis);
    samplesAt = length;
    word(0);
  }

  /**
   * Begins a flow sample in the compact form.
   *
   * @param sequence number of the sample in its source
   * @param sourceType 0 interface, 1 VLAN, 2 physical entity; 8 bits
   * @param sourceIndex 24 bits
   * @param samplingRate N of 1-in-N sampling
   * @param samplePool packets that could have been sampled so far
   * @param drops samples lost for lack of resources so far
   * @param input ingress interface, 30 bits
   * @param outputFormat 0 index, 1 discard reason, 2 number of interfaces
   * @param output egress interface, 30 bits
   */
  public void flowSample(
      int sequence,
      int sourceType,
      int sourceIndex,
      int samplingRate,
      int samplePool,
      int drops,
      int input,
      int outputFormat,
      int output) {
    beginSample(SflowLayout.FLOW_SAMPLE, SflowLayout.FLOW_SAMPLE_LENGTH);
    word(sequence);
    word(sourceType << SflowLayout.SOURCE_INDEX_BITS | sourceIndex);
    word(samplingRate);
    word(samplePool);
    word(drops);
    word(input & SflowLayout.INTERFACE_VALUE_MASK);
    word(
        outputFormat << SflowLayout.INTERFACE_VALUE_BITS
            | (output & SflowLayout.INTERFACE_VALUE_MASK));
    beginRecords();
  }

  /**
   * Begins a flow sample in the expanded form: like the compact one, with 32 bits for each number.
   */
  public void expandedFlowSample(
      int sequence,
      int sourceType,
      int sourceIndex,
      int samplingRate,
      int samplePool,
      int drops,
      int input,
      int outputFormat,
      int output) {
    beginSample(SflowLayout.EXPANDED_FLOW_SAMPLE, SflowLayout.EXPANDED_FLOW_SAMPLE_LENGTH);
    word(sequence);
    word(sourceType);
    word(sourceIndex);
    word(samplingRate);
    word(samplePool);
    word(drops);
    word(0);
    word(input);
    word(outputFormat);
    word(output);
    beginRecords();
  }

  /** Begins a counter sample in the compact form: source type 8 bits, index 24 bits. */
  public void counterSample(int sequence, int sourceType, int sourceIndex) {
    beginSample(SflowLayout.COUNTER_SAMPLE, SflowLayout.COUNTER_SAMPLE_LENGTH);
    word(sequence);
    word(sourceType << SflowLayout.SOURCE_INDEX_BITS | sourceIndex);
    beginRecords();
  }

  void expandedCounterSample(int sequence, int sourceType, int sourceIndex) {
    beginSample(SflowLayout.EXPANDED_COUNTER_SAMPLE, SflowLayout.EXPANDED_COUNTER_SAMPLE_LENGTH);
    word(sequence);
    word(sourceType);
    word(sourceIndex);
    beginRecords();
  }

  /**
   * Begins a notification of a discarded packet.
   *
   * @param sequence number of the notification in its source
   * @param sourceIndex its interface
   * @param drops notifications that were not sent so far
   * @param input ingress interface; 0 if unknown
   * @param output egress interface; 0 if unknown
   * @param reason its number in sFlow's list
   */
  public void discardedPacket(
      int sequence, int sourceIndex, int drops, int input, int output, int reason) {
    beginSample(SflowLayout.DISCARDED_PACKET, SflowLayout.DISCARDED_PACKET_LENGTH);
    word(sequence);
    word(SflowLayout.SOURCE_INTERFACE);
    word(sourceIndex);
    word(drops);
    word(input);
    word(output);
    word(reason);
    beginRecords();
  }

  void sample(int format, byte[] data, int offset, int dataLength) {
    beginSample(format, padded(dataLength));
    opaque(data, offset, dataLength);
    put32(bytes, sampleAt + SflowLayout.LENGTH_OFFSET, dataLength);
    sampleAt = -1;
  }

  /**
   * Raw packet header.
   *
   * @param protocol {@link SflowLayout#PROTOCOL_ETHERNET} or another header protocol
   * @param frameLength length of the frame on the wire, with its check sequence
   * @param stripped bytes removed from the frame before the header was sampled, 4 for the check
   *     sequence
   * @param header holds the header
   * @param offset where it starts
   * @param headerLength its length
   */
  public void rawHeader(
      int protocol, int frameLength, int stripped, byte[] header, int offset, int headerLength) {
    int at = rawHeader(protocol, frameLength, stripped, headerLength);
    System.arraycopy(header, offset, bytes, at, headerLength);
  }

  /**
   * Raw packet header whose bytes the caller writes, without a copy.
   *
   * @return offset in {@link #bytes()} of the {@code headerLength} bytes; they are zero until
   *     written
   */
  public int rawHeader(int protocol, int frameLength, int stripped, int headerLength) {
    beginRecord(SflowLayout.RAW_HEADER, SflowLayout.RAW_HEADER_LENGTH + padded(headerLength));
    word(protocol);
    word(frameLength);
    word(stripped);
    word(headerLength);
    int at = length;
    length += padded(headerLength);
    Arrays.fill(bytes, at, length, (byte) 0);
    return at;
  }

  /** Sampled IPv4: {@code ipLength} is the datagram's total length; addresses as 32 bits. */
  public void sampledIpv4(
      int ipLength,
      int protocol,
      int src,
      int dst,
      int srcPort,
      int dstPort,
      int tcpFlags,
      int tos) {
    beginRecord(SflowLayout.SAMPLED_IPV4, SflowLayout.SAMPLED_IPV4_LENGTH);
    word(ipLength);
    word(protocol);
    word(src);
    word(dst);
    word(srcPort);
    word(dstPort);
    word(tcpFlags);
    word(tos);
  }

  /** Sampled IPv6: {@code ipLength} is the datagram's total length with its header. */
  public void sampledIpv6(
      int ipLength,
      int protocol,
      long srcHigh,
      long srcLow,
      long dstHigh,
      long dstLow,
      int srcPort,
      int dstPort,
      int tcpFlags,
      int trafficClass) {
    beginRecord(SflowLayout.SAMPLED_IPV6, SflowLayout.SAMPLED_IPV6_LENGTH);
    word(ipLength);
    word(protocol);
    twoWords(srcHigh);
    twoWords(srcLow);
    twoWords(dstHigh);
    twoWords(dstLow);
    word(srcPort);
    word(dstPort);
    word(tcpFlags);
    word(trafficClass);
  }

  /** Extended switch; {@link SflowLayout#VLAN_UNKNOWN} for an unknown VLAN. */
  public void extendedSwitch(int srcVlan, int srcPriority, int dstVlan, int dstPriority) {
    beginRecord(SflowLayout.EXTENDED_SWITCH, SflowLayout.EXTENDED_SWITCH_LENGTH);
    word(srcVlan);
    word(srcPriority);
    word(dstVlan);
    word(dstPriority);
  }

  /** Generic interface counters from a row of {@code block}. */
  public void interfaceCounters(CounterBlock block, int row) {
    beginRecord(SflowLayout.INTERFACE_COUNTERS, SflowLayout.INTERFACE_COUNTERS_LENGTH);
    InterfaceCounters.write(bytes, length, block, row);
    length += SflowLayout.INTERFACE_COUNTERS_LENGTH;
  }

  /** Adds a record of any format, without its length. */
  public void record(int format, byte[] data, int offset, int dataLength) {
    int at = length;
    beginRecord(format, padded(dataLength));
    opaque(data, offset, dataLength);
    put32(bytes, at + SflowLayout.LENGTH_OFFSET, dataLength);
  }

  private void beginSample(int format, int fixedLength) {
    reserve(TAG_LENGTH + fixedLength);
    sampleAt = length;
    word(format);
    word(fixedLength);
    put32(bytes, samplesAt, ++samples);
  }

  private void beginRecords() {
    recordsAt = length;
    records = 0;
    word(0);
  }

  private void beginRecord(int format, int recordLength) {
    if (sampleAt < 0) {
      throw new IllegalStateException(
          "no sample for the record: begin a flow or counter sample first");
    }
    reserve(TAG_LENGTH + recordLength);
    word(format);
    word(recordLength);
    put32(bytes, recordsAt, ++records);
    put32(
        bytes, sampleAt + SflowLayout.LENGTH_OFFSET, length + recordLength - sampleAt - TAG_LENGTH);
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }

  private void word(int value) {
    put32(bytes, length, value);
    length += 4;
  }

  private void twoWords(long value) {
    put64(bytes, length, value);
    length += 8;
  }

  private void opaque(byte[] data, int offset, int dataLength) {
    System.arraycopy(data, offset, bytes, length, dataLength);
    int end = length + padded(dataLength);
    Arrays.fill(bytes, length + dataLength, end, (byte) 0);
    length = end;
  }

  private void address(long high, long low) {
    if (Addresses.isNull(high, low)) {
      word(ADDRESS_UNKNOWN);
    } else if (Addresses.isV4(high, low)) {
      word(ADDRESS_IPV4);
      word((int) low);
    } else {
      word(ADDRESS_IPV6);
      twoWords(high);
      twoWords(low);
    }
  }
}
