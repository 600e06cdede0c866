package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NewBucketsTest {
  private static final TableSchema TIMES = TableSchema.builder().time("time").build();
  private static final int MAX = 1 << 17;

  /** Rows with even times are counted. */
  private record EvenTimes(long bucketMicros) implements BucketedKeys<TableBlock> {
    @Override
    public void hashes(TableBlock block, int[] hashes) {}

    @Override
    public long[] times(TableBlock block) {
      return block.longs(0);
    }

    @Override
    public boolean isCounted(TableBlock block, int row) {
      long time = times(block)[row];
      return time != TableBlock.NULL && time % 2 == 0;
    }

    @Override
    public TableBlock empty() {
      return new TableBlock(TIMES, 0);
    }
  }

  private final NewBuckets<TableBlock> buckets = new NewBuckets<>(new EvenTimes(10));

  private List<Long> find(long... times) {
    TableBlock block = new TableBlock(TIMES, times.length);
    System.arraycopy(times, 0, block.longs(0), 0, times.length);
    block.rows(times.length);
    List<Long> found = new ArrayList<>();
    buckets.find(block, found::add);
    return found;
  }

  @Test
  void findsEachBucketWithRowsThatCountOnce() {
    assertThat(find(21, 50, 58, 31, 40, 50, -2, TableBlock.NULL)).containsExactly(5L, 4L, -1L);
    assertThat(find(-10, 44, 0, 60, 8)).containsExactly(0L, 6L);
    assertThat(find(20)).containsExactly(2L);
  }

  @Test
  void evictsTheOldestBucketsAndDoesNotFindThemAgain() {
    for (long bucket = 0; bucket < MAX; bucket++) {
      assertThat(find(bucket * 20)).containsExactly(2 * bucket);
    }
    assertThat(find(-20)).isEmpty();
    assertThat(find(70)).containsExactly(7L); // bucket 0 has been evicted
    assertThat(find(0)).isEmpty();
    assertThat(find(20, 70, (MAX - 1) * 20L)).isEmpty();
    assertThat(find(MAX * 20L)).containsExactly(2L * MAX);
  }
}
