package io.millrace.analytics.testing;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Step;
import io.millrace.analytics.keyed.BucketedKeys;
import io.millrace.analytics.keyed.KeyedState;
import io.millrace.analytics.keyed.NewBuckets;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Selectable;
import java.util.List;
import java.util.stream.IntStream;

/** Input of a step: a block or a watermark. */
sealed interface Event<A extends Step<O>, O extends Block> {
  /** An input of a step. */
  final class Input<B extends Selectable<B>, A extends Step<O>, O extends Block> {
    private final int number;
    private final Delivery<B, A, O> delivery;

    /** Null if the rows are not partitioned. */
    RowKeys<B> keys;

    Input(int number, Delivery<B, A, O> delivery) {
      this.number = number;
      this.delivery = delivery;
    }
  }

  /** The call that passes a block to a step. */
  interface Delivery<B, A, O extends Block> {
    void deliver(A step, B block, Emitter<O> out) throws Exception;
  }

  /** Number of the input, from 0; −1 for a watermark. */
  int input();

  /** The same input, row by row. */
  List<Event<A, O>> singleRows();

  /** Passes a subtask's part to it. */
  void feed(A step, KeyGroups groups, Emitter<O> out) throws Exception;

  /** A block. */
  record BlockEvent<B extends Selectable<B>, A extends Step<O>, O extends Block>(
      Input<B, A, O> to, B block) implements Event<A, O> {
    @Override
    public int input() {
      return to.number;
    }

    @Override
    public List<Event<A, O>> singleRows() {
      return IntStream.range(0, block.rows())
          .<Event<A, O>>mapToObj(row -> new BlockEvent<>(to, block.select(new int[] {row}, 1)))
          .toList();
    }

    @Override
    public void feed(A step, KeyGroups groups, Emitter<O> out) throws Exception {
      int[] rows = IntStream.range(0, block.rows()).toArray();
      if (to.keys != null) {
        int[] hashes = new int[rows.length];
        to.keys.hashes(block, hashes);
        rows = IntStream.of(rows).filter(row -> groups.holds(hashes[row])).toArray();
      }
      if (to.keys instanceof BucketedKeys<B> keys && step instanceof KeyedState state) {
        new NewBuckets<>(keys).find(block, state::hasBegun);
      }
      if (rows.length > 0) {
        to.delivery.deliver(step, block.select(rows, rows.length), out);
      }
    }
  }

  /** A watermark. */
  record TimeEvent<A extends Step<O>, O extends Block>(long micros) implements Event<A, O> {
    @Override
    public int input() {
      return -1;
    }

    @Override
    public List<Event<A, O>> singleRows() {
      return List.of(this);
    }

    @Override
    public void feed(A step, KeyGroups groups, Emitter<O> out) throws Exception {
      step.watermark(micros, out);
    }
  }
}
