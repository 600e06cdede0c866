package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.remote.StoreServer;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contract test of the embedded store. A crash is a copy of its open files. */
class DuckDbStoreContractTest extends StoreContract {
  private static final StoreConfig OPEN_TO_OTHERS =
      StoreConfig.defaults().withListen(StoreServer.anyLocalPort());

  /** Disabled, which halves the time to create a store; {@code RollupsIT} and others cover them. */
  private static final RollupConfig ROLLUPS =
      Boolean.getBoolean("millrace.long") ? RollupConfig.DEFAULT : RollupConfig.NONE;

  @TempDir Path directory;

  @Override
  protected Store open() {
    return new DuckDbStore(directory.resolve("store"), OPEN_TO_OTHERS, ROLLUPS);
  }

  @Override
  protected Store crashAndOpen() throws IOException {
    Path copy = Files.createDirectories(directory.resolve("copy"));
    try (Stream<Path> files = Files.list(directory.resolve("store"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    store.close();
    return new DuckDbStore(copy, OPEN_TO_OTHERS, ROLLUPS);
  }

  @Test
  void ownProcessGoesOnThoughTheClockThatGivesTokensWasSetBack() {
    AtomicLong clock = new AtomicLong(5_000);
    Path own = directory.resolve("own");
    TableSchema numbers = TableSchema.builder().number("n").build();
    try (Store alone = new DuckDbStore(own, StoreConfig.defaults())) {
      alone.table(Store.FLOWS, Flows.SCHEMA).rewind(clock.get(), Frontier.EMPTY);
      alone.results("counts", numbers).rewind(clock.get(), ResultTable.NO_CHECKPOINT);
    }
    clock.set(200);
    try (Store alone = new DuckDbStore(own, StoreConfig.defaults())) {
      FlowTable flows = alone.table(Store.FLOWS, Flows.SCHEMA);
      flows.rewind(clock.get(), Frontier.EMPTY);
      alone.results("counts", numbers).rewind(clock.get(), ResultTable.NO_CHECKPOINT);
      assertThatThrownBy(() -> flows.rewind(clock.get(), Frontier.EMPTY))
          .isInstanceOf(FencedException.class);
    }
    clock.set(100);
    try (Store shared = new DuckDbStore(own, OPEN_TO_OTHERS)) {
      FlowTable flows = shared.table(Store.FLOWS, Flows.SCHEMA);
      assertThatThrownBy(() -> flows.rewind(clock.get(), Frontier.EMPTY))
          .isInstanceOf(FencedException.class);
    }
  }
}
