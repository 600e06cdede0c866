package io.millrace.engine.exchange;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.BucketedKeys;
import io.millrace.analytics.keyed.NewBuckets;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.Selectable;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.flink.streaming.api.graph.NonChainedOutput;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Divides blocks by receiver: hashes keys, sorts row numbers by receiver (counting sort) and
 * gathers each column.
 */
final class ScatterOperator<B extends Selectable<B>> extends AbstractStreamOperator<B>
    implements OneInputStreamOperator<B, B> {
  private static final long serialVersionUID = 1L;

  private final transient RowKeys<B> keys;
  private transient StreamRecord<B> record;
  private transient int receivers;
  private transient int[] hashes;
  private transient int[][] rows;
  private transient int[] counts;
  private transient NewBuckets<B> newBuckets; // null if receivers need no buckets
  private transient LongConsumer announce;

  ScatterOperator(StreamOperatorParameters<B> parameters, RowKeys<B> keys) {
    super(parameters);
    this.keys = keys;
  }

  @Override
  public void open() throws Exception {
    super.open();
    record = new StreamRecord<>(null);
    receivers = receivers();
    hashes = new int[0];
    rows = new int[receivers][0];
    counts = new int[receivers];
    if (keys instanceof BucketedKeys<B> bucketed) {
      newBuckets = new NewBuckets<>(bucketed);
      announce = bucket -> announce(bucketed, bucket);
    }
  }

  private void announce(BucketedKeys<B> bucketed, long bucket) {
    for (int receiver = 0; receiver < receivers; receiver++) {
      output.collect(new StreamRecord<>(bucketed.empty(), bucket));
    }
  }

  /**
   * Taken from the output, since the adaptive scheduler may run fewer receivers than configured.
   */
  private int receivers() {
    ClassLoader loader = getRuntimeContext().getUserCodeClassLoader();
    List<NonChainedOutput> mine = config.getOperatorNonChainedOutputs(loader);
    List<NonChainedOutput> all =
        getContainingTask().getConfiguration().getVertexNonChainedOutputs(loader);
    if (mine.size() != 1) {
      throw new IllegalStateException("rows are distributed to " + mine.size() + " steps, not one");
    }
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).getDataSetId().equals(mine.get(0).getDataSetId())) {
        return getContainingTask().getEnvironment().getWriter(i).getNumberOfSubpartitions();
      }
    }
    throw new IllegalStateException("the output of the step is not among the task's");
  }

  @Override
  public void processElement(StreamRecord<B> element) {
    B block = element.getValue();
    int n = block.rows();
    if (hashes.length < n) {
      hashes = new int[n];
      rows = new int[receivers][n];
    }
    if (newBuckets != null) {
      newBuckets.find(block, announce);
    }
    keys.hashes(block, hashes);
    Arrays.fill(counts, 0);
    for (int row = 0; row < n; row++) {
      int group = KeyGroups.groupOf(hashes[row], KeyGroups.DEFAULT_MAX);
      int receiver = KeyGroups.subtaskOf(group, KeyGroups.DEFAULT_MAX, receivers);
      rows[receiver][counts[receiver]++] = row;
    }
    for (int receiver = 0; receiver < receivers; receiver++) {
      if (counts[receiver] > 0) {
        output.collect(record.replace(block.select(rows[receiver], counts[receiver])));
      }
    }
  }
}
