package io.millrace.lab.records;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordSchema;
import java.util.concurrent.locks.LockSupport;

/**
 * Writer of a stream's records to the log, in batches as the listener writes them. Records of a key
 * go to one partition.
 */
public final class RecordFill implements RecordTarget, AutoCloseable {
  private static final int ROWS = 4_096;

  private final LogWriter writer;
  private final RecordBatch.Writer batches = new RecordBatch.Writer();
  private final TableBlock[] blocks;
  private final int time;

  RecordFill(String bootstrapServers, String topic, LogConfig config, RecordSchema schema) {
    writer = new LogWriter(bootstrapServers, topic, config);
    time = schema.indexOf(schema.time());
    blocks = new TableBlock[writer.partitions()];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = new TableBlock(schema.columns(), ROWS);
    }
  }

  @Override
  public TableBlock block(long key) {
    return blocks[partition(key)];
  }

  private int partition(long key) {
    return (int) (key % blocks.length);
  }

  @Override
  public void add(long key) {
    int partition = partition(key);
    TableBlock block = blocks[partition];
    block.rows(block.rows() + 1);
    if (block.rows() == ROWS) {
      write(partition);
    }
  }

  private void write(int partition) {
    TableBlock block = blocks[partition];
    if (block.rows() == 0) {
      return;
    }
    long arrival = block.longs(time)[block.rows() - 1] + 1_000_000;
    byte[] value = batches.write(block, time, arrival);
    while (!writer.offer(partition, value, block.rows(), null)) {
      LockSupport.parkNanos(1_000_000);
    }
    block.clear();
  }

  /** Writes all pending records without waiting for acknowledgement. */
  public void send() {
    for (int partition = 0; partition < blocks.length; partition++) {
      write(partition);
    }
  }

  /** Writes pending records and waits until the log has acknowledged them. */
  @Override
  public void close() {
    send();
    writer.flush();
    writer.close();
  }
}
