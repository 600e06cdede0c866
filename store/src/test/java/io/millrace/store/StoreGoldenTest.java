package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A directory of an earlier release (commit e35fb99), whose process was killed: three blocks of 40
 * rows, two of them covered by a checkpoint, and a table of results with a key.
 */
class StoreGoldenTest {
  @TempDir Path dir;

  @BeforeEach
  void unpack() throws IOException {
    for (String end : List.of("", ".wal")) {
      try (InputStream golden =
          new GZIPInputStream(
              getClass().getResourceAsStream("store-version-4.duckdb" + end + ".gz"))) {
        Files.copy(golden, dir.resolve(DuckDbStore.FILE_NAME + end));
      }
    }
  }

  private static String one(Store store, String sql) {
    return StoreContract.rows(store, sql).get(0);
  }

  @Test
  void aDirectoryOfAnEarlierReleaseOpensAndGoesOn() {
    try (DuckDbStore store = new DuckDbStore(dir, StoreConfig.defaults())) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      assertThat(table.committed()).isEqualTo(new Frontier(Map.of(0, 2L)));
      assertThat(one(store, "SELECT count(*), sum(bytes) FROM flows")).isEqualTo("120|14340");
      assertThat(one(store, "SELECT count(*) FROM flows WHERE src_as_name = 'Network 1, Inc.'"))
          .isEqualTo("30");
      assertThat(one(store, "SELECT sum(m) FROM numbers")).isEqualTo("5");
      assertThat(table.rewind(table.committed())).isEqualTo(40);
      try (FlowWriter writer = table.writer(Flows.LATER)) {
        FlowBlock block = Flows.joined(40, 0, 2);
        block.addressHigh(FlowColumn.SRC_ADDR)[0] = 0xFD00L << 48;
        block.addressLow(FlowColumn.SRC_ADDR)[0] = 1;
        writer.append(block);
        writer.flush();
      }
    }
    try (DuckDbStore again = new DuckDbStore(dir, StoreConfig.defaults())) {
      assertThat(one(again, "SELECT count(*), sum(bytes) FROM flows")).isEqualTo("120|14340");
      assertThat(one(again, "SELECT count(*) FROM flows WHERE src_addr = 'fd00::1'"))
          .isEqualTo("1");
    }
  }
}
