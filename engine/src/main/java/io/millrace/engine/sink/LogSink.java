package io.millrace.engine.sink;

import io.millrace.engine.log.LogAppender;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.wire.block.RawBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Appends raw batches to a topic, for example dead letters. At least once: a replay appends batches
 * again, and checkpoints contain the unacknowledged batches. Never blocks the job, not even at a
 * checkpoint: batches that do not fit into the buffer, or are not acknowledged in time, are counted
 * and dropped.
 */
public final class LogSink {
  /**
   * Counter: datagrams dropped because the buffer was full or the log did not acknowledge them in
   * time.
   */
  public static final String DROPPED_DATAGRAMS = "droppedDatagrams";

  /** Small, since unacknowledged values are part of checkpoints. */
  private static final LogConfig BUFFER =
      LogConfig.defaults().withBuffer(8L << 20, Duration.ofSeconds(10));

  private LogSink() {}

  /**
   * Adds the sink to a job.
   *
   * @param uid name of the step; must never change
   * @param bootstrapServers of the log
   * @param topic that exists
   */
  public static void addTo(
      DataStream<RawBatch> batches, String uid, String bootstrapServers, String topic) {
    addTo(batches, uid, bootstrapServers, topic, BUFFER.deliveryTimeout());
  }

  static void addTo(
      DataStream<RawBatch> batches,
      String uid,
      String bootstrapServers,
      String topic,
      Duration deliveryTimeout) {
    batches
        .transform(uid, Types.VOID, new Operator(bootstrapServers, topic, deliveryTimeout))
        .uid(uid)
        .setParallelism(1);
  }

  private static final class Operator extends AbstractStreamOperator<Void>
      implements OneInputStreamOperator<RawBatch, Void> {
    private static final long serialVersionUID = 1L;
    private static final String STATE_NAME = "waiting";

    private final String bootstrapServers;
    private final String topic;
    private final Duration deliveryTimeout;
    private transient LogWriter writer;
    private transient ListState<byte[]> state;

    private transient Set<PendingWrite> waiting;

    Operator(String bootstrapServers, String topic, Duration deliveryTimeout) {
      this.bootstrapServers = bootstrapServers;
      this.topic = topic;
      this.deliveryTimeout = deliveryTimeout;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      super.initializeState(context);
      state =
          context
              .getOperatorStateStore()
              .getListState(
                  new ListStateDescriptor<>(STATE_NAME, BytePrimitiveArraySerializer.INSTANCE));
    }

    @Override
    public void open() throws Exception {
      super.open();
      waiting = ConcurrentHashMap.newKeySet();
      writer =
          new LogWriter(
              bootstrapServers, topic, BUFFER.withBuffer(BUFFER.bufferBytes(), deliveryTimeout));
      getMetricGroup().counter(DROPPED_DATAGRAMS, new DropCounter(writer));
      for (byte[] value : state.get()) {
        offer(value);
      }
    }

    @Override
    public void processElement(StreamRecord<RawBatch> element) {
      RawBatch batch = element.getValue();
      offer(
          batch.length() == batch.bytes().length
              ? batch.bytes()
              : Arrays.copyOf(batch.bytes(), batch.length()));
    }

    private void offer(byte[] value) {
      PendingWrite one = new PendingWrite(value, waiting);
      waiting.add(one);
      if (!writer.offer(null, value, RawBatch.wrap(value, 0, 0).rows(), one)) {
        waiting.remove(one);
      }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
      super.snapshotState(context);
      List<byte[]> values = new ArrayList<>();
      waiting.forEach(one -> values.add(one.value));
      state.update(values);
    }

    /** Called at the end of a bounded job; may block, since nothing follows. */
    @Override
    public void finish() throws Exception {
      writer.flush();
      super.finish();
    }

    /** Does not wait: unacknowledged batches are in the checkpoint or will be replayed. */
    @Override
    public void close() throws Exception {
      if (writer != null) {
        writer.close(Duration.ZERO);
        writer = null;
      }
      super.close();
    }
  }

  /** A value in flight; compared by identity, since another may have the same bytes. */
  private static final class PendingWrite implements LogAppender.Completion {
    private final byte[] value;
    private final Set<PendingWrite> all;

    PendingWrite(byte[] value, Set<PendingWrite> all) {
      this.value = value;
      this.all = all;
    }

    @Override
    public void acknowledged(int partition, long offset) {
      all.remove(this);
    }

    @Override
    public void failed(Exception cause) {
      all.remove(this);
    }
  }

  /**
   * Counter of drops for Flink, read from the writer since it also changes on the writer's thread.
   */
  private record DropCounter(LogWriter writer) implements Counter {
    @Override
    public long getCount() {
      LogWriter.Counts counts = writer.counts();
      return counts.rejectedRows() + counts.failedRows();
    }

    @Override
    public void inc() {
      throw new UnsupportedOperationException("the writer counts");
    }

    @Override
    public void inc(long n) {
      inc();
    }

    @Override
    public void dec() {
      inc();
    }

    @Override
    public void dec(long n) {
      inc();
    }
  }
}
