package io.millrace.pipelines.flows;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.goflow2.FlowMessageDecoder;
import io.millrace.wire.netflow.SamplingSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Decodes messages of a log value to rows: the part of {@link FlowDecoder} for external topics.
 * Counters treat a flow in a message as a datagram of its sampler. Not thread-safe.
 */
final class MessageReader {
  /**
   * Maximum number of samplers counted separately per value, since addresses are arbitrary and
   * look-up is linear.
   */
  private static final int MAX_EXPORTERS = 256;

  private static final long CHANNEL = Channel.of(ExportProtocol.GOFLOW2, 0, 0);

  private final PrefixRates rates;
  private final FlowMessageDecoder decoder = new FlowMessageDecoder();
  private final Notes notes = new Notes();

  MessageReader(PrefixRates rates) {
    this.rates = rates;
  }

  /** Appends the rows of new messages; returns the malformed messages. */
  Optional<RawBatch> read(RawBatch batch, SourcePositions positions, FlowBlock block) {
    RawBatch.Writer letters = null;
    byte[] bytes = batch.bytes();
    notes.begin(block.counters());
    int firstRow = block.rows();
    int cursor = batch.first();
    for (int left = batch.rows(); left > 0; left--, cursor = batch.next(cursor)) {
      long source = batch.source(cursor);
      if (!positions.advance(source, batch.sourceOffset(cursor))) {
        notes.count(ExporterCounters.REPEATED_MESSAGES, 1);
        continue;
      }
      int offset = batch.payload(cursor);
      int length = batch.payloadLength(cursor);
      int rowsBefore = block.rows();
      if (batch.isDelimited()) {
        decoder.decodeDelimited(bytes, offset, length, batch.time(cursor), block, notes);
      } else {
        decoder.decode(bytes, offset, length, batch.time(cursor), block, notes);
      }
      if (notes.endsMalformed(block.rows() > rowsBefore)) {
        letters = letters == null ? RawBatch.Writer.ofMessages(batch.isDelimited()) : letters;
        letters.addMessage(
            batch.time(cursor), source, batch.sourceOffset(cursor), bytes, offset, length);
      }
    }
    count(block, firstRow);
    return Optional.ofNullable(letters)
        .map(l -> RawBatch.wrap(l.toBytes(), batch.partition(), batch.offset()));
  }

  private void count(FlowBlock block, int firstRow) {
    long[] high = block.addressHigh(FlowColumn.EXPORTER);
    long[] low = block.addressLow(FlowColumn.EXPORTER);
    int[] sampling = block.ints(FlowColumn.SAMPLING_RATE);
    int[] sources =
        block.has(FlowColumn.SAMPLING_SOURCE) ? block.ints(FlowColumn.SAMPLING_SOURCE) : null;
    ExporterCounters counters = block.counters();
    int rows = block.rows();
    int end;
    for (int row = firstRow; row < rows; row = end) {
      int rate = 0;
      int unsampled = 0;
      int impossible = 0;
      for (end = row; end < rows && high[end] == high[row] && low[end] == low[row]; end++) {
        if (sources != null && sources[end] == SamplingSource.NONE.code()) {
          impossible++;
        } else if (sampling[end] == FlowBlock.NULL) {
          rate = rate == 0 ? Math.max(1, rates.rate(high[row], low[row])) : rate;
          sampling[end] = rate;
          unsampled++;
        }
      }
      int exporter = exporter(counters, high[row], low[row]);
      counters.add(exporter, ExporterCounters.DATAGRAMS, end - row);
      counters.add(exporter, ExporterCounters.ROWS, end - row);
      if (rate == 1) {
        counters.add(exporter, ExporterCounters.UNSAMPLED_ROWS, unsampled);
      }
      if (impossible > 0) {
        counters.add(
            exporter,
            ExporterCounters.FIRST_REASON + RejectReason.IMPOSSIBLE_RATE.ordinal(),
            impossible);
        counters.add(exporter, ExporterCounters.UNSAMPLED_ROWS, impossible);
      }
    }
  }

  private static int exporter(ExporterCounters counters, long high, long low) {
    return counters.size() < MAX_EXPORTERS
        ? counters.exporter(high, low, Addresses.NULL, Addresses.NULL, CHANNEL)
        : nobody(counters);
  }

  private static int nobody(ExporterCounters counters) {
    return counters.exporter(
        Addresses.NULL, Addresses.NULL, Addresses.NULL, Addresses.NULL, CHANNEL);
  }

  /**
   * Counts messages without rows; their sampler is unknown. Data that is not a message may fail in
   * many ways if read as a sequence of messages; it counts as one malformed message.
   */
  private static final class Notes implements Rejects {
    /** Reasons why valid messages become no row. Missing sampling rates are counted by row. */
    private static final List<RejectReason> OTHERS =
        List.of(RejectReason.NOT_IP, RejectReason.IMPOSSIBLE_COUNT);

    private ExporterCounters counters;
    private final int[] rejects = new int[RejectReason.values().length];
    private boolean hasRejects;

    void begin(ExporterCounters counters) {
      this.counters = counters;
    }

    void count(int count, int amount) {
      counters.add(nobody(counters), count, amount);
    }

    @Override
    public void reject(RejectReason reason, int offset) {
      rejects[reason.ordinal()]++;
      hasRejects = true;
    }

    boolean endsMalformed(boolean hasRows) {
      if (!hasRejects) {
        return false;
      }
      boolean isMalformed = rejects[RejectReason.BAD_MESSAGE.ordinal()] > 0;
      if (isMalformed) {
        count(ExporterCounters.FIRST_REASON + RejectReason.BAD_MESSAGE.ordinal(), 1);
        count(ExporterCounters.MALFORMED_DATAGRAMS, 1);
      }
      for (RejectReason reason : OTHERS) {
        int others = rejects[reason.ordinal()];
        if (others > 0 && (hasRows || !isMalformed)) {
          count(ExporterCounters.FIRST_REASON + reason.ordinal(), others);
          count(ExporterCounters.DATAGRAMS, others);
        }
      }
      Arrays.fill(rejects, 0);
      hasRejects = false;
      return isMalformed;
    }
  }
}
