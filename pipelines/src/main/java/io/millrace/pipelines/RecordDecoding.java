package io.millrace.pipelines;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.wire.block.LogPartition;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordColumns;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordSchema;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Converts values of a topic to records with their positions. Values of the log were validated
 * before the append, so an unreadable one is rejected as a whole. An external value with an invalid
 * record is rejected too, but its valid records are kept.
 *
 * <p>Records with a time far ahead of the value's arrival are dropped and counted, and slightly
 * early ones too if the partition has too many of them, since downstream steps would hold them
 * until the watermark reaches their time. This does not apply if event time is arrival. Arrival is
 * stored in the value, so a replay drops the same records. The counts of waiting records per
 * partition are state.
 */
class RecordDecoding implements Analyzer<RawBatch, TableBlock>, PartitionedState {
  static final String INVALID = "invalidRecords";

  static final String FUTURE = "futureRecords";

  static final String CROWDED = "crowdedRecords";

  /** Maximum number of waiting rows per partition: 14 MiB of 56 bytes each. */
  private static final int MAX_AHEAD = 1 << 18;

  private static final int MAX_UNPACKED_BYTES = 16 << 20;

  private final RecordEncoding format;
  private final RecordColumns columns;
  private final RecordDecoder decoder;
  private final RecordErrors errors = new RecordErrors(0);
  private final DecodingFaults faults = new DecodingFaults();
  private int expected = 16;
  private final int time;
  private final int mostAhead;
  private final boolean byArrival;

  private final Map<Integer, AheadRecords> ahead = new TreeMap<>();

  private final Map<Integer, Long> versions = new TreeMap<>();
  private AnalyzerContext.Counter invalid;
  private AnalyzerContext.Counter future;
  private AnalyzerContext.Counter crowded;

  RecordDecoding(RecordSchema schema, RecordEncoding format, boolean byArrival) {
    this(schema, format, byArrival, MAX_AHEAD);
  }

  RecordDecoding(RecordSchema schema, RecordEncoding format, boolean byArrival, int mostAhead) {
    this.format = format;
    this.byArrival = byArrival;
    this.mostAhead = mostAhead;
    columns = new RecordColumns(schema);
    decoder = new RecordDecoder(schema);
    time = schema.indexOf(schema.time());
  }

  @Override
  public void open(AnalyzerContext context) {
    invalid = context.counter(INVALID);
    future = context.counter(FUTURE);
    crowded = context.counter(CROWDED);
  }

  @Override
  public void process(RawBatch value, Emitter<TableBlock> out) {
    versions.put(
        LogPartition.partition(value.partition()),
        LogPartition.version(value.partition(), value.offset()));
    if (value.isValues()) {
      processValues(value, out);
    } else {
      processBatch(value, out);
    }
  }

  Optional<TableBlock> decode(RawBatch value, RecordBatch batch) {
    return batch
        .block()
        .flatMap(block -> columns.place(block, value.partition(), value.offset(), batch.arrival()));
  }

  int decode(byte[] bytes, int payload, int length, TableBlock records) {
    return decoder.decode(
        format, bytes, payload, length, RecordAttributes.NONE, records, errors, MAX_UNPACKED_BYTES);
  }

  private AheadRecords ahead(int partition) {
    return ahead.computeIfAbsent(partition, none -> new AheadRecords(mostAhead));
  }

  private void processBatch(RawBatch value, Emitter<TableBlock> out) {
    RecordBatch batch = RecordBatch.wrap(value.bytes(), value.length());
    Optional<TableBlock> records = Optional.empty();
    try {
      records = batch.isSound() ? decode(value, batch) : records;
    } catch (RuntimeException e) { // a bug must affect only this value
      faults.add(value, e);
    }
    if (records.isEmpty()) {
      invalid.add(batch.isSound() ? batch.count() : 1);
      out.reject(value);
    } else if (byArrival) {
      emit(records.get(), null, records.get().rows(), out);
    } else {
      int[] kept = new int[records.get().rows()];
      AheadRecords waiting = ahead(LogPartition.partition(value.partition()));
      emit(records.get(), kept, keep(records.get(), 0, batch.arrival(), waiting, kept, 0), out);
    }
  }

  /** Keeps the rows from {@code first} on that are not too far ahead; returns the number kept. */
  private int keep(
      TableBlock records, int first, long arrival, AheadRecords waiting, int[] kept, int count) {
    long[] times = records.longs(time);
    int now = count;
    if (byArrival) {
      for (int row = first; row < records.rows(); row++) {
        kept[now++] = row;
      }
      return now;
    }
    int tooFar = 0;
    for (int row = first; row < records.rows(); row++) {
      kept[now] = row;
      if (times[row] <= arrival) {
        now++;
      } else if (times[row] - arrival > AheadRecords.MAX_MICROS) {
        tooFar++;
      } else {
        now += waiting.admits(times[row], arrival) ? 1 : 0;
      }
    }
    future.add(tooFar);
    crowded.add(records.rows() - first - tooFar - (now - count));
    return now;
  }

  private void emit(TableBlock records, int[] kept, int count, Emitter<TableBlock> out) {
    if (count > 0) {
      out.emit(count == records.rows() ? records : records.select(kept, count));
    }
  }

  private void processValues(RawBatch values, Emitter<TableBlock> out) {
    TableBlock records = new TableBlock(columns.schema(), expected);
    RawBatch.Writer rejected = null;
    int[] kept = new int[expected];
    int count = 0;
    AheadRecords waiting = ahead(LogPartition.partition(values.partition()));
    int cursor = values.first();
    for (int i = values.rows(); i > 0; i--, cursor = values.next(cursor)) {
      int first = records.rows();
      int payload = values.payload(cursor);
      int length = values.payloadLength(cursor);
      errors.clear();
      int read;
      try {
        read = decode(values.bytes(), payload, length, records);
      } catch (RuntimeException e) { // as above; the output may be incomplete
        faults.add(values, e);
        invalid.add(1);
        out.reject(values);
        return;
      }
      columns.place(
          records, first, values.partition(), values.sourceOffset(cursor), values.time(cursor));
      if (kept.length < records.rows()) {
        kept = Arrays.copyOf(kept, records.capacity());
      }
      count = keep(records, first, values.time(cursor), waiting, kept, count);
      if (read == 0 || !errors.isEmpty()) {
        invalid.add(Math.max(1, errors.count()));
        rejected = rejected == null ? RawBatch.Writer.ofValues() : rejected;
        rejected.addMessage(
            values.time(cursor),
            values.source(cursor),
            values.sourceOffset(cursor),
            values.bytes(),
            payload,
            length);
      }
    }
    if (rejected != null) {
      out.reject(RawBatch.wrap(rejected.toBytes(), values.partition(), values.offset()));
    }
    expected = Math.max(1, records.rows());
    emit(records, kept, count, out);
  }

  @Override
  public void snapshot(StateWriter out) throws Exception {
    for (Map.Entry<Integer, AheadRecords> partition : ahead.entrySet()) {
      int key = partition.getKey();
      out.put(key, versions.get(key), partition.getValue().write());
    }
  }

  @Override
  public void restore(int partition, long version, byte[] state) {
    ahead(partition).read(state);
    versions.put(partition, version);
  }
}
