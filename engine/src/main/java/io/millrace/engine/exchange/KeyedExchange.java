package io.millrace.engine.exchange;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.BucketedKeys;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.Selectable;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Distributes rows by key. */
public final class KeyedExchange {
  private static final int NO_ROWS = -1;

  private KeyedExchange() {}

  /**
   * Distributes the rows of the blocks over all subtasks of the next step, so that all rows of a
   * key reach the subtask that owns its {@linkplain KeyGroups key group}. Each block is divided
   * into at most one block per subtask, by copying columns without an object per row. The next step
   * must have a maximum parallelism of {@link KeyGroups#DEFAULT_MAX}. With {@link BucketedKeys}
   * each sender also announces the buckets of its rows to all subtasks, as a block without rows
   * whose timestamp is the bucket (blocks with rows have no timestamp).
   *
   * @param uid name of the step that divides the blocks
   */
  public static <B extends Selectable<B>> DataStream<B> scatter(
      DataStream<B> blocks, RowKeys<B> keys, String uid) {
    TypeInformation<B> type = blocks.getType();
    return blocks
        .transform(uid, type, new ScatterOperatorFactory<>(keys))
        .uid(uid)
        .setParallelism(blocks.getParallelism())
        .partitionCustom(new Receivers(), groupOfFirstRow(keys));
  }

  private static final class Receivers implements Partitioner<Integer> {
    private static final long serialVersionUID = 1L;
    private int next;

    @Override
    public int partition(Integer group, int receivers) {
      if (group != NO_ROWS) {
        return KeyGroups.subtaskOf(group, KeyGroups.DEFAULT_MAX, receivers);
      }
      int receiver = next;
      next = (next + 1) % receivers;
      return receiver;
    }
  }

  /** All rows of a divided block go to one subtask, so the group of the first row decides. */
  private static <B extends Selectable<B>> KeySelector<B, Integer> groupOfFirstRow(
      RowKeys<B> keys) {
    return block -> {
      if (block.rows() == 0) {
        return NO_ROWS;
      }
      int[] hash = new int[1];
      keys.hashes(block.select(new int[1], 1), hash);
      return KeyGroups.groupOf(hash[0], KeyGroups.DEFAULT_MAX);
    };
  }
}
