package io.millrace.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.NewNames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DatasetHandleTest {
  @Test
  void aReaderStaysWithItsSetUntilItRefreshes() {
    Constant one = new Constant(1, "f");
    Constant two = new Constant(2, "f");
    DatasetHandle handle = new DatasetHandle(one);
    DatasetHandle.Reader reader = handle.newReader();
    assertThat(reader.refresh()).isTrue();
    assertThat(reader.refresh()).isFalse();
    handle.swap(two);
    assertThat(handle.current()).isSameAs(two);
    assertThat(ask(reader)).isEqualTo(1);
    assertThat(one.closed.get()).isZero();
    assertThat(reader.refresh()).isTrue();
    assertThat(ask(reader)).isEqualTo(2);
    assertThat(one.closed.get()).as("kept for who is at an earlier place").isZero();
    assertThat(reader.goTo(set -> set == one)).isTrue();
    assertThat(ask(reader)).isEqualTo(1);
    Constant three = new Constant(3, "f");
    assertThat(reader.goTo(set -> set == three)).isFalse();
    assertThat(ask(reader)).isEqualTo(1);
    handle.swap(three);
    assertThat(one.closed.get()).as("held by the reader").isZero();
    assertThat(reader.refresh()).isTrue();
    assertThat(one.closed.get()).isEqualTo(1);
    handle.close();
    handle.close();
    assertThat(two.closed.get()).isEqualTo(1);
    assertThat(three.closed.get()).isZero();
    reader.close();
    reader.close();
    assertThat(three.closed.get()).isEqualTo(1);
    assertThatThrownBy(reader::refresh).hasMessage("data set is closed");
  }

  @Test
  void rejectsASetWithOtherFields() {
    Constant one = new Constant(1, "f");
    DatasetHandle handle = new DatasetHandle(one);
    assertThatThrownBy(() -> handle.swap(new Constant(2, "g")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("constant");
    assertThat(handle.current()).isSameAs(one);
    handle.close();
  }

  @Test
  void noReaderUsesAClosedSetAndEachIsClosedOnce() throws Exception {
    List<Constant> sets = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      sets.add(new Constant(i, "f"));
    }
    DatasetHandle handle = new DatasetHandle(sets.get(0));
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> readers = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        readers.add(threads.submit(() -> readToTheLast(handle, sets.get(499))));
      }
      for (Constant set : sets.subList(1, 500)) {
        handle.swap(set);
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    } finally {
      threads.shutdownNow();
    }
    handle.close();
    assertThat(sets).allSatisfy(set -> assertThat(set.closed.get()).isEqualTo(1));
  }

  private static void readToTheLast(DatasetHandle handle, Dataset last) {
    try (DatasetHandle.Reader reader = handle.newReader()) {
      do {
        reader.refresh();
        ask(reader);
      } while (reader.dataset() != last);
    }
  }

  private static int ask(DatasetHandle.Reader reader) {
    int[] records = new int[1];
    reader.lookup().lookup(new long[1], new long[1], 1, records);
    return records[0];
  }

  /** Returns the same record for every address, and fails after it is closed. */
  private static final class Constant implements Dataset, Lookup {
    final AtomicInteger closed = new AtomicInteger();
    private final int record;
    private final String field;

    Constant(int record, String field) {
      this.record = record;
      this.field = field;
    }

    @Override
    public String name() {
      return "constant";
    }

    @Override
    public int records() {
      return record + 1;
    }

    @Override
    public int texts(int index) {
      return record + 1;
    }

    @Override
    public long fingerprint() {
      return record;
    }

    @Override
    public List<Field> fields() {
      return List.of(Field.text(field));
    }

    @Override
    public long heapBytes() {
      return 0;
    }

    @Override
    public Lookup newLookup() {
      return this;
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }

    @Override
    public void lookup(long[] high, long[] low, int rows, int[] records) {
      assertThat(closed.get()).isZero();
      records[0] = record;
    }

    @Override
    public void values(int index, int[] records, int rows, int[] values) {
      System.arraycopy(records, 0, values, 0, rows);
    }

    @Override
    public void text(int index, int ordinal, long id, NewNames out) {
      out.add(id, new byte[0], 0, 0);
    }
  }
}
