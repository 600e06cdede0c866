package io.millrace.lab.gateways;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.KafkaPartitions;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordEncoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Synthetic records of many gateways, in rounds of one record per gateway and minute. Writes log
 * values as a server does for requests of a few hundred records. Not thread-safe.
 */
final class GatewayLoad {
  private static final RecordEncoder ENCODER = new RecordEncoder(GatewayRecords.SCHEMA);

  /** Maximum records per value. */
  static final int BATCH = 500;

  private static final long START = Instant.parse("2026-03-01T00:00:00Z").toEpochMilli();
  private static final long STEP = 60_000;
  private static final long WRAP = 1L << 32;

  @FunctionalInterface
  interface Values {
    void take(int partition, byte[] value, int records);
  }

  private final RecordEncoding encoding;
  private final GatewayForm form;
  private final List<List<byte[]>> ids = new ArrayList<>();
  private final RecordDecoder decoder = new RecordDecoder(GatewayRecords.SCHEMA);
  private final RecordBatch.Writer writer = new RecordBatch.Writer();
  private final BlockBuffer encoded = new BlockBuffer(1 << 8);
  private final TableBlock block = GatewayRecords.block(BATCH);
  private final TableBlock decoded = GatewayRecords.block(BATCH);
  private int partition;
  private int next;
  private long turn;
  private long records;
  private long recordBytes;
  private long decodingNanos;
  private long valueBytes;

  GatewayLoad(int gateways, int partitions, RecordEncoding encoding, GatewayForm form) {
    this.encoding = encoding;
    this.form = form;
    for (int i = 0; i < partitions; i++) {
      ids.add(new ArrayList<>());
    }
    for (int i = 0; i < gateways; i++) {
      byte[] id = "gw-%08d".formatted(i).getBytes(StandardCharsets.US_ASCII);
      ids.get(KafkaPartitions.of(id, 0, id.length, partitions)).add(id);
    }
  }

  /** Emits the next value; its records arrive now. */
  void next(Values values) {
    List<byte[]> mine = ids.get(partition);
    int to = Math.min(mine.size(), next + BATCH);
    block.clear();
    for (int i = next; i < to; i++) {
      byte[] id = mine.get(i);
      long rate = 1_000 + (i * 7_919L) % 100_000;
      boolean isRunning = form == GatewayForm.CUMULATIVE;
      GatewayRecords.add(
          block,
          id,
          (START + turn * STEP + i % 30_000) * 1_000,
          isRunning ? (turn + 1) * rate % WRAP : rate,
          isRunning ? (turn + 1) * rate * 4 % WRAP : rate * 4,
          form);
    }
    if (to > next) {
      give(values);
    }
    next = to;
    if (next == mine.size()) {
      next = 0;
      partition = (partition + 1) % ids.size();
      turn += partition == 0 ? 1 : 0;
    }
  }

  private void give(Values values) {
    encoded.clear();
    for (int row = 0; row < block.rows(); row++) {
      if (encoding == RecordEncoding.JSON) {
        ENCODER.json(block, row, encoded);
      } else {
        ENCODER.singleObject(block, row, encoded);
      }
    }
    decoded.clear();
    long start = System.nanoTime();
    var unused =
        decoder.decode(
            encoding,
            encoded.bytes(),
            0,
            encoded.length(),
            RecordAttributes.NONE,
            decoded,
            new RecordErrors(),
            0);
    decodingNanos += System.nanoTime() - start;
    byte[] value = writer.write(decoded, GatewayRecords.TIME, System.currentTimeMillis() * 1_000);
    records += decoded.rows();
    recordBytes += encoded.length();
    valueBytes += value.length;
    values.take(partition, value, decoded.rows());
  }

  long records() {
    return records;
  }

  /** Returns the mean bytes of a record sent alone, as JSON object or in single-object encoding. */
  double wireBytes() {
    return (double) recordBytes / records;
  }

  /** Returns the records per second that one server thread decodes. */
  double decodingRate() {
    return records * 1e9 / decodingNanos;
  }

  /** Returns the bytes per record of log values, before compression. */
  double logBytes() {
    return (double) valueBytes / records;
  }
}
