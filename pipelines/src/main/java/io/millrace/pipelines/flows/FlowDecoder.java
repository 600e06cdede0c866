package io.millrace.pipelines.flows;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.block.Tally;
import io.millrace.wire.export.DatagramHead;
import io.millrace.wire.sflow.SflowDecoder;

/**
 * Datagrams in, flows out: one block for each log value, with the rows in the order of the wire and
 * the count of what became of each datagram.
 *
 * <p>The protocol is recognised by content. A datagram with something malformed in it is also set
 * aside whole for the topic of dead letters; what could be decoded of it becomes rows all the same.
 */
public final class FlowDecoder implements Analyzer<RawBatch, FlowBlock> {
  /** A sampled 128-byte header with its records takes about this much of a datagram. */
  private static final int TYPICAL_SAMPLE_BYTES = 160;

  private final DatagramHead head = new DatagramHead();
  private final SflowDecoder sflow = new SflowDecoder();
  private final CounterBlock counters = new CounterBlock(16);
  private final RawBatch.Writer deadLetters = new RawBatch.Writer(0);
  private final DatagramRejects rejects = new DatagramRejects();

  @Override
  public void process(RawBatch batch, Emitter<FlowBlock> out) {
    FlowBlock block = new FlowBlock(batch.length() / TYPICAL_SAMPLE_BYTES + 1);
    block.logPosition(batch.partition(), batch.offset());
    if (batch.isSound()) {
      decode(batch, block);
    } else {
      Tally tally = block.tally();
      int nobody =
          tally.exporter(Addresses.NULL, Addresses.NULL, Addresses.NULL, Addresses.NULL, 0);
      tally.add(nobody, Tally.FIRST_REASON + RejectReason.BAD_LOG_VALUE.ordinal(), 1);
      out.reject(batch);
    }
    if (deadLetters.count() > 0) {
      out.reject(RawBatch.wrap(deadLetters.toBytes(), batch.partition(), batch.offset()));
      deadLetters.clear();
    }
    out.emit(block);
  }

  private void decode(RawBatch batch, FlowBlock block) {
    byte[] bytes = batch.bytes();
    Tally tally = block.tally();
    int cursor = batch.first();
    for (int left = batch.rows(); left > 0; left--, cursor = batch.next(cursor)) {
      int offset = batch.payload(cursor);
      int length = batch.payloadLength(cursor);
      long senderHigh = batch.senderHigh(cursor);
      long senderLow = batch.senderLow(cursor);
      ExportProtocol protocol = head.read(bytes, offset, length);
      int exporter =
          tally.exporter(
              senderHigh,
              senderLow,
              head.agentHigh(),
              head.agentLow(),
              head.channel(batch.senderPort(cursor)));
      rejects.begin(tally, exporter);
      int rowsBefore = block.rows();
      if (protocol == ExportProtocol.SFLOW) {
        counters.rows(0);
        sflow.decode(
            bytes,
            offset,
            length,
            batch.time(cursor),
            senderHigh,
            senderLow,
            block,
            counters,
            rejects);
      } else {
        rejects.reject(RejectReason.UNKNOWN_PROTOCOL, 0);
      }
      tally.add(exporter, Tally.ROWS, block.rows() - rowsBefore);
      if (rejects.malformed) {
        tally.add(exporter, Tally.MALFORMED_DATAGRAMS, 1);
        deadLetters.add(
            batch.time(cursor),
            senderHigh,
            senderLow,
            batch.senderPort(cursor),
            bytes,
            offset,
            length);
      } else {
        tally.add(exporter, Tally.DATAGRAMS, 1);
      }
    }
  }

  /** Counts the rejects of one datagram for its exporter. */
  private static final class DatagramRejects implements Rejects {
    private Tally tally;
    private int exporter;
    private boolean malformed;

    void begin(Tally tally, int exporter) {
      this.tally = tally;
      this.exporter = exporter;
      malformed = false;
    }

    @Override
    public void reject(RejectReason reason, int offset) {
      tally.add(exporter, Tally.FIRST_REASON + reason.ordinal(), 1);
      malformed |= reason.malformed();
    }
  }
}
