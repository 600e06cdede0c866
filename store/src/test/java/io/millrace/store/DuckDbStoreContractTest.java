package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.remote.StoreServer;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.LogPartition;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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

  @Test
  void showsCommittedRowsApart() {
    FlowTable table = flows();
    write(table, Flows.joined(10, 0, 4), Flows.joined(10, 0, 5), Flows.joined(10, 1, 9));
    assertThat(rows("SELECT count(*) FROM flows_committed")).containsExactly("0");
    table.committed(new Frontier(Map.of(0, 5L, 1, 3L)));
    table.committed(new Frontier(Map.of(0, 2L)));
    assertThat(table.committed()).isEqualTo(new Frontier(Map.of(0, 5L, 1, 3L)));
    assertThat(rows("SELECT DISTINCT log_offset, src_as_name FROM flows_committed ORDER BY 2"))
        .containsExactly("4|Network 0, Inc.", "4|Network 1, Inc.", "4|Network 2, Inc.", "4|null");
  }

  @Test
  void refusesWritersOfALifeBefore() throws Exception {
    FlowTable table = flows();
    table.rewind(7, Frontier.EMPTY);
    FlowWriter idle = table.writer(7, Flows.LATER);
    FlowWriter before = table.writer(7, Flows.LATER);
    before.append(Flows.joined(10, 0, 0));
    before.flush();
    before.append(Flows.joined(10, 0, 1));
    assertThat(table.rewind(9, new Frontier(Map.of(0, 1L)))).isZero();
    assertThat(table.token()).isEqualTo(9);
    FlowWriter now = table.writer(9, Flows.LATER);
    now.append(Flows.joined(3, 0, 1));
    for (FlowWriter old : List.of(idle, before)) {
      assertThatThrownBy(() -> old.append(Flows.joined(10, 0, 1)))
          .isInstanceOf(FencedException.class);
      assertThatThrownBy(old::flush).isInstanceOf(FencedException.class);
      old.close();
    }
    Frontier later = new Frontier(Map.of(0, 50L));
    assertThatThrownBy(() -> table.committed(7, 1, later)).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> table.rewind(9, Frontier.EMPTY)).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> table.rewind(8, Frontier.EMPTY)).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> table.writer(7, Flows.LATER)).isInstanceOf(FencedException.class);
    now.flush();
    now.close();
    assertThat(table.rows()).isEqualTo(13);
    assertThat(table.committed().next(0)).isZero();
    store = crashAndOpen();
    FlowTable again = flows();
    assertThat(again.token()).isEqualTo(9);
    assertThatThrownBy(() -> again.rewind(9, Frontier.EMPTY)).isInstanceOf(FencedException.class);
    assertThat(again.rows()).isEqualTo(13);
  }

  @Test
  void showsRowsWhenTheyAreFlushed() {
    FlowTable table = flows();
    try (FlowWriter writer = table.writer(Flows.LATER)) {
      writer.append(Flows.joined(100, 0, 5));
      assertThat(writer.pendingRows()).isEqualTo(100);
      assertThat(rows("SELECT count(*) FROM flows")).containsExactly("0");
      writer.flush();
      assertThat(writer.pendingRows()).isZero();
      assertThat(rows("SELECT count(*) FROM flows")).containsExactly("100");
    }
    assertThat(table.rows()).isEqualTo(100);
  }

  @Test
  void rowsOfALogThatHasLostItsEndStay() {
    FlowTable table = flows();
    write(table, Flows.joined(1, 0, 0), Flows.joined(2, 0, 1));
    table.committed(new Frontier(Map.of(0, 2L)));
    write(table, Flows.joined(4, 0, 2), Flows.joined(8, 0, 3), Flows.joined(16, 1, 0));
    assertThat(table.stored()).isEqualTo(new Frontier(Map.of(0, 4L, 1, 1L)));

    // The checkpoint ends at 2, and the log at 3: value 2 comes again.
    int next = LogPartition.of(0, 1);
    Frontier from = new Frontier(Map.of(0, 2L, 1, 0L));
    Frontier until = new Frontier(Map.of(0, 3L, 1, 0L));
    Frontier begin = new Frontier(Map.of(0, 2L, 1, 0L)).inEpoch(1);
    for (int times = 0; times < 2; times++) {
      table.beginEpoch(from, until, begin);
      assertThat(table.rows()).isEqualTo(1 + 2 + 8 + 16);
    }
    assertThat(table.committed().epoch()).isEqualTo(1);
    assertThat(table.committed().ofEpoch(1)).isEqualTo(new Frontier(Map.of(0, 2L, 1, 0L)));
    assertThat(rows("SELECT count(*) FROM flows_committed")).containsExactly("27");

    write(table, Flows.joined(4, next, 2));
    write(table, Flows.joined(32, next, 3));
    table.committed(new Frontier(Map.of(next, 3L)));
    table.rewind(new Frontier(Map.of(0, 2L, next, 3L)));
    assertThat(
            rows("SELECT log_partition, log_offset, count(*) FROM flows GROUP BY ALL ORDER BY ALL"))
        .containsExactly("0|0|1", "0|1|2", "0|3|8", "1|0|16", next + "|2|4");
  }

  @Test
  void whatTheLogHadDeletedUnreadIsCountedWithTheNextCheckpoint() {
    FlowTable table = flows();
    write(table, Flows.joined(5, 0, 3), Flows.joined(5, 0, 4), Flows.joined(5, 1, 0));
    table.committed(new Frontier(Map.of(0, 5L, 1, 1L)));
    assertThat(table.counters().skipped()).isZero();
    write(table, Flows.joined(5, 0, 20), Flows.joined(5, 1, 1));
    assertThat(table.counters().skipped()).as("20 may come before what lies between").isZero();
    table.committed(new Frontier(Map.of(0, 21L, 1, 2L)));
    assertThat(table.counters().skipped()).isEqualTo(15);
    assertThat(table.counters().covered()).isEqualTo(new Frontier(Map.of(0, 21L, 1, 2L)));
    write(table, Flows.joined(5, 0, 21));
    table.rewind(table.committed());
    assertThat(table.counters().skipped()).isEqualTo(15);
  }

  @Test
  void addsColumnsOfNewDataSetsAndKeepsOldOnes() throws Exception {
    write(flows(), Flows.joined(4, 0, 1));
    store.close();
    store = open();
    FlowSchema wider =
        new FlowSchema(
            List.of(
                new FlowSchema.AddedColumn("src_country", JoinedColumn.Kind.TEXT),
                new FlowSchema.AddedColumn("dst_as", JoinedColumn.Kind.NUMBER)));
    FlowTable table = store.table(Store.FLOWS, wider);
    assertThat(table.schema().joined()).hasSize(7);
    FlowBlock block = Flows.bare(1, 0, 2);
    block
        .joined()
        .add(new JoinedColumn("src_country", JoinedColumn.Kind.TEXT, 5000, new int[] {0}));
    Flows.name(block, 5000, "NL");
    write(table, block);
    assertThat(
            rows(
                "SELECT src_country, src_as, count(*) FROM flows GROUP BY ALL ORDER BY 2, 1 NULLS LAST"))
        .containsExactly(
            "null|64500|1", "null|64501|1", "null|64502|1", "NL|null|1", "null|null|1");
  }

  @Test
  void rewindsToAFrontier() {
    FlowTable table = flows();
    write(table, Flows.joined(10, 0, 4), Flows.joined(10, 0, 5), Flows.joined(10, 1, 9));
    table.committed(new Frontier(Map.of(0, 6L, 1, 10L)));
    assertThat(table.rewind(new Frontier(Map.of(0, 5L)))).isEqualTo(20);
    assertThat(rows("SELECT DISTINCT log_partition, log_offset FROM flows")).containsExactly("0|4");
    assertThat(table.committed().next()).isEqualTo(Map.of(0, 5L, 1, 0L));
    write(table, Flows.joined(10, 0, 5));
    assertThat(table.rewind(Frontier.EMPTY)).isEqualTo(20);
    assertThat(table.rows()).isZero();
  }

  @Test
  void aValueInSeveralBlocksIsOneValueAndIsRewoundWhole() {
    FlowTable table = flows();
    FlowBlock part = Flows.joined(5, 0, 1);
    FlowBlock last = part.next();
    write(table, Flows.joined(3, 0, 0));
    write(table, part);
    write(table, last);
    assertThat(table.rows()).isEqualTo(8);
    assertThat(table.counters().values()).isEqualTo(2);
    table.rewind(new Frontier(Map.of(0, 1L)));
    assertThat(table.rows()).isEqualTo(3);
    assertThat(table.counters().values()).isEqualTo(1);
  }

  @Test
  void rewindingForgetsWhatWasOnItsWay() {
    FlowTable table = flows();
    try (FlowWriter before = table.writer(Flows.LATER)) {
      before.append(Flows.joined(5, 0, 0));
      before.flush();
      before.append(Flows.joined(5_000, 0, 1));
      table.rewind(new Frontier(Map.of(0, 1L)));
      try (FlowWriter after = table.writer(Flows.LATER)) {
        after.append(Flows.joined(7, 0, 1));
        assertThatThrownBy(() -> before.append(Flows.joined(1, 0, 2)))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("rewound");
        after.flush();
      }
    }
    assertThat(rows("SELECT log_offset, count(*) FROM flows GROUP BY 1 ORDER BY 1"))
        .containsExactly("0|5", "1|7");
  }

  @Test
  void keepsWhatWasFlushedThroughACrashAndNothingElse() throws Exception {
    FlowTable table = flows();
    FlowWriter writer = table.writer(Flows.LATER);
    writer.append(Flows.joined(100, 0, 1));
    writer.flush();
    table.committed(new Frontier(Map.of(0, 2L)));
    writer.append(Flows.joined(100, 0, 2));
    store = crashAndOpen();
    table = flows();
    assertThat(table.rows()).isEqualTo(100);
    assertThat(table.committed()).isEqualTo(new Frontier(Map.of(0, 2L)));
    assertThat(rows("SELECT DISTINCT src_dns FROM flows WHERE src_dns IS NOT NULL")).hasSize(3);
    assertThat(table.rewind(table.committed())).isZero();
  }
}
