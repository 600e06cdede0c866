package io.millrace.wire.sflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.sflow.SflowLayout.TAG_LENGTH;
import static io.millrace.wire.sflow.SflowLayout.padded;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;

/**
 * Decoder of sFlow version 5 datagrams: each flow sample of an IP packet is a row of a {@link
 * FlowBlock}, each generic interface counters record a row of a {@link CounterBlock}, each
 * notification of a discarded packet a row of {@link Discards#SCHEMA}.
 *
 * <p>Input is untrusted: each length is checked against its enclosing length before use, each
 * iteration consumes bytes or ends the loop, and memory depends on the length of the datagram,
 * never on a number in it. Every flow sample becomes one row or one reject. A malformed record is
 * one reject, and the other records of its sample still become the row. After a sample with an
 * invalid length, the rest of the datagram is lost; preceding samples are kept.
 *
 * <p>One decoder belongs to one thread; it keeps no state between datagrams.
 */
public final class SflowDecoder {
  private static final int MIN_ROW_LENGTH =
      TAG_LENGTH + SflowLayout.FLOW_SAMPLE_LENGTH + TAG_LENGTH + SflowLayout.SAMPLED_IPV4_LENGTH;

  private final FlowSampleReader flows;
  private final CounterSampleReader counterSamples = new CounterSampleReader();
  private final IpLayer layer;
  private DiscardReader discarded; // few agents send any

  /** A decoder of the first IP layer of sampled packets. */
  public SflowDecoder() {
    this(IpLayer.OUTER);
  }

  /** A decoder of that layer of sampled packets. */
  public SflowDecoder(IpLayer layer) {
    this(layer, false);
  }

  /**
   * A decoder of that layer of sampled packets.
   *
   * @param hasLayer2 whether non-IP frames make rows, of MAC addresses, EtherType, VLAN and bytes
   *     of the frame; otherwise each is a reject
   */
  public SflowDecoder(IpLayer layer, boolean hasLayer2) {
    flows = new FlowSampleReader(layer, hasLayer2);
    this.layer = layer;
  }

  /**
   * Appends a datagram's rows to {@code out} and {@code counters}; never throws.
   *
   * <p>Every column of a row is filled; unspecified values are {@link FlowBlock#NULL} or {@link
   * Addresses#NULL}. {@code logIndex} is the row's number in the block.
   *
   * @param buf holds the datagram
   * @param off where it starts
   * @param len its length in bytes
   * @param timeMicros its arrival, microseconds since the epoch
   * @param exporterHigh upper half of its sender's address, as {@link Addresses}
   * @param exporterLow lower half
   * @param out receives the flow samples
   * @param counters receives the interface counters; null if not needed
   * @param rejects receives each sample without a row and each violation of the protocol
   */
  public void decode(
      byte[] buf,
      int off,
      int len,
      long timeMicros,
      long exporterHigh,
      long exporterLow,
      FlowBlock out,
      CounterBlock counters,
      Rejects rejects) {
    decode(
        buf,
        off,
        len,
        timeMicros,
        exporterHigh,
        exporterLow,
        out,
        counters,
        null,
        rejects,
        NameSink.NONE);
  }

  /**
   * Appends a datagram's rows, including discarded packets.
   *
   * @param discards receives the notifications of discarded packets, of {@link Discards#SCHEMA};
   *     null if not needed
   * @param names receives names of ports and hosts, if {@code counters} is not null
   */
  public void decode(
      byte[] buf,
      int off,
      int len,
      long timeMicros,
      long exporterHigh,
      long exporterLow,
      FlowBlock out,
      CounterBlock counters,
      TableBlock discards,
      Rejects rejects,
      NameSink names) {
    int headerLength = SflowHeader.headerLength(buf, off, len);
    if (headerLength < 0) {
      boolean otherVersion = len >= 4 && i32(buf, off) != SflowLayout.VERSION;
      rejects.reject(otherVersion ? RejectReason.UNSUPPORTED_VERSION : RejectReason.BAD_HEADER, 0);
      return;
    }
    out.reserve(len / MIN_ROW_LENGTH);
    flows.begin(out);
    if (counters != null) {
      counterSamples.begin(buf, off, timeMicros, exporterHigh, exporterLow, counters, names);
    }
    int end = off + len;
    int at = off + headerLength;
    int row = out.rows();
    for (int samples = SflowHeader.samples(buf, off); samples != 0; samples--) {
      if (end - at < TAG_LENGTH) {
        rejects.reject(RejectReason.TRUNCATED_DATAGRAM, at - off);
        break;
      }
      int format = i32(buf, at);
      int length = i32(buf, at + SflowLayout.LENGTH_OFFSET);
      int body = at + TAG_LENGTH;
      if (length < 0 || length > end - body) {
        rejects.reject(RejectReason.BAD_SAMPLE_LENGTH, at - off);
        break;
      }
      int sampleEnd = body + length;
      switch (format) {
        case SflowLayout.FLOW_SAMPLE, SflowLayout.EXPANDED_FLOW_SAMPLE -> {
          boolean expanded = format == SflowLayout.EXPANDED_FLOW_SAMPLE;
          RejectReason reason = flows.read(buf, body, sampleEnd, expanded, row);
          if (reason == null) {
            row++;
            if (flows.badRecordAt() >= 0) {
              rejects.reject(RejectReason.BAD_RECORD_LENGTH, flows.badRecordAt() - off);
            }
            if (flows.hasImpossibleRate()) {
              rejects.reject(RejectReason.IMPOSSIBLE_RATE, at - off);
            }
          } else {
            rejects.reject(reason, (reason.malformed() ? flows.failedAt() : at) - off);
          }
        }
        case SflowLayout.COUNTER_SAMPLE, SflowLayout.EXPANDED_COUNTER_SAMPLE -> {
          if (counters != null) {
            boolean expanded = format == SflowLayout.EXPANDED_COUNTER_SAMPLE;
            RejectReason reason = counterSamples.read(body, sampleEnd, expanded);
            if (reason != null) {
              rejects.reject(reason, at - off);
            }
          }
        }
        case SflowLayout.DISCARDED_PACKET -> {
          if (discards != null) {
            discarded = discarded == null ? new DiscardReader(layer) : discarded;
            discarded.begin(buf, off, timeMicros, exporterHigh, exporterLow, discards);
            RejectReason reason = discarded.read(body, sampleEnd);
            if (reason != null) {
              rejects.reject(reason, at - off);
            }
          }
        }
        default -> rejects.reject(RejectReason.UNKNOWN_SAMPLE, at - off);
      }
      at = Math.min(end, body + padded(length));
    }
    flows.finish(out, row, timeMicros, exporterHigh, exporterLow, buf, off);
  }
}
