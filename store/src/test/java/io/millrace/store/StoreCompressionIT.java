package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.StoreCompression;
import io.millrace.store.rollup.RollupConfig;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StoreCompressionIT {
  private static final int ROWS = 60_000; // more than a row group: what is written is compressed

  @TempDir Path directory;

  private long written(StoreCompression compression) {
    Path own = directory.resolve(compression.name());
    try (Store store =
            new DuckDbStore(own, StoreConfig.defaults(), RollupConfig.NONE, compression);
        FlowWriter writer = store.table(Store.FLOWS, Flows.SCHEMA).writer(Flows.LATER)) {
      writer.append(Flows.joined(ROWS, 0, 1));
      writer.flush();
    }
    try (Store store =
        new DuckDbStore(own, StoreConfig.defaults(), RollupConfig.NONE, compression)) {
      return store.diskBytes();
    }
  }

  @ParameterizedTest
  @EnumSource
  void rowsAreReadHoweverTheyWereCompressed(StoreCompression compression) {
    written(compression);
    try (Store store =
        new DuckDbStore(
            directory.resolve(compression.name()), StoreConfig.defaults(), RollupConfig.NONE)) {
      assertThat(StoreContract.rows(store, "SELECT count(*), sum(bytes) FROM flows"))
          .containsExactly(ROWS + "|" + (100L * ROWS + (ROWS - 1L) * ROWS / 2));
    }
  }

  @Test
  void withoutCompressionRowsTakeMore() {
    assertThat(written(StoreCompression.UNCOMPRESSED))
        .isGreaterThan(2 * written(StoreCompression.AUTO));
  }
}
