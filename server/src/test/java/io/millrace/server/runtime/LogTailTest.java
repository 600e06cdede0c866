package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.RawBatch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogTailTest {
  private static final int PAYLOAD = 100;

  private final List<Long> given = new ArrayList<>();

  private static RawBatch batch(int partition, long offset, long micros) {
    RawBatch.Writer writer = new RawBatch.Writer(0);
    writer.add(micros, 0, 1, 2, new byte[PAYLOAD], 0, PAYLOAD);
    return RawBatch.wrap(writer.toBytes(), partition, offset);
  }

  private LogTail.InOrder order(int mostBatches) {
    long each = batch(0, 0, 0).length();
    return new LogTail.InOrder(mostBatches * each, batch -> given.add(batch.time(batch.first())));
  }

  @Test
  void mergesPartitionsByArrival() {
    LogTail.InOrder order = order(1_000);
    for (int partition = 0; partition < 3; partition++) {
      for (int offset = 0; offset < 100; offset++) {
        order.add(batch(partition, offset, 3L * offset + partition));
      }
    }
    assertThat(given).isEmpty();
    order.end();
    assertThat(given).hasSize(300).isSorted();
  }

  @Test
  void memoryIsBounded() {
    LogTail.InOrder order = order(20);
    for (int offset = 0; offset < 10_000; offset++) {
      order.add(batch(offset & 1, offset, offset ^ 7)); // out of place by seven at most
      assertThat(offset + 1 - given.size()).isLessThanOrEqualTo(20);
    }
    order.end();
    assertThat(given).hasSize(10_000).isSorted();
  }

  @Test
  void invalidBatchesComeFirst() {
    List<Boolean> sound = new ArrayList<>();
    LogTail.InOrder order = new LogTail.InOrder(1 << 20, batch -> sound.add(batch.isSound()));
    order.add(batch(0, 0, 5));
    order.add(RawBatch.wrap(new byte[] {1, 2, 3}, 1, 0));
    order.end();
    assertThat(sound).containsExactly(false, true);
  }
}
