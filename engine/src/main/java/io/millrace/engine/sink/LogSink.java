package io.millrace.engine.sink;

import io.millrace.engine.log.Compression;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.wire.block.RawBatch;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Appends raw batches to a topic: where dead letters go. At least once: what a failure makes the
 * job read again is appended again. Never makes the job wait; what the log has no room for is
 * counted and dropped.
 */
public final class LogSink {
  /** Counter: datagrams for which the log had no room. */
  public static final String DROPPED_DATAGRAMS = "droppedDatagrams";

  private LogSink() {}

  /**
   * Puts the sink at the end of a job.
   *
   * @param uid name of the step; never to be changed
   * @param bootstrapServers of the log
   * @param topic that exists
   */
  public static void addTo(
      DataStream<RawBatch> batches, String uid, String bootstrapServers, String topic) {
    batches
        .transform(uid, Types.VOID, new Operator(bootstrapServers, topic))
        .uid(uid)
        .setParallelism(1);
  }

  private static final class Operator extends AbstractStreamOperator<Void>
      implements OneInputStreamOperator<RawBatch, Void> {
    private static final long serialVersionUID = 1L;

    private final String bootstrapServers;
    private final String topic;
    private transient LogWriter writer;
    private transient Counter dropped;

    Operator(String bootstrapServers, String topic) {
      this.bootstrapServers = bootstrapServers;
      this.topic = topic;
    }

    @Override
    public void open() throws Exception {
      super.open();
      dropped = getMetricGroup().counter(DROPPED_DATAGRAMS);
      writer =
          new LogWriter(
              bootstrapServers,
              topic,
              LogConfig.defaults().withCompression(Compression.LZ4).withBuffer(8L << 20, FLUSH));
    }

    @Override
    public void processElement(StreamRecord<RawBatch> element) {
      RawBatch batch = element.getValue();
      byte[] value =
          batch.length() == batch.bytes().length
              ? batch.bytes()
              : Arrays.copyOf(batch.bytes(), batch.length());
      if (!writer.offer(null, value, batch.rows())) {
        dropped.inc(batch.rows());
      }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
      super.snapshotState(context);
      writer.flush();
    }

    @Override
    public void close() throws Exception {
      if (writer != null) {
        writer.close();
        writer = null;
      }
      super.close();
    }
  }

  private static final java.time.Duration FLUSH = java.time.Duration.ofSeconds(10);
}
