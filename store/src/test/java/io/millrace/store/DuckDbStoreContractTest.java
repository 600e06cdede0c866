package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.StoreCopies;
import io.millrace.store.remote.StoreServer;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contract test of the embedded store. A crash is a copy of its open files. */
class DuckDbStoreContractTest extends StoreContract {
  private static final StoreConfig OPEN_TO_OTHERS =
      StoreConfig.defaults().withListen(StoreServer.anyLocalPort());

  /**
   * Disabled, which halves the time to create a store; {@code RollupsIT} and others cover rollups.
   */
  private static final RollupConfig ROLLUPS =
      Boolean.getBoolean("millrace.long") ? RollupConfig.DEFAULT : RollupConfig.NONE;

  @TempDir Path directory;

  @Override
  protected Store open() {
    return new DuckDbStore(directory.resolve("store"), OPEN_TO_OTHERS, ROLLUPS);
  }

  @Override
  protected Store crashAndOpen() throws IOException {
    StoreCopies.crash(directory.resolve("store"), store::close);
    return open();
  }

  @Test
  void continuesAfterTheClockOfTokensWasSetBack() {
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
    table.committed(new Frontier(Map.of(0, 6L, 1, 10L)));
    table.committed(new Frontier(Map.of(0, 2L)));
    assertThat(table.committed()).isEqualTo(new Frontier(Map.of(0, 6L, 1, 10L)));
    write(table, Flows.joined(10, 0, 6));
    assertThat(rows("SELECT count(*) FROM flows")).containsExactly("40");
    assertThat(rows("SELECT log_offset, count(*) FROM flows_committed GROUP BY 1 ORDER BY 1"))
        .containsExactly("4|10", "5|10", "9|10");
    assertThat(rows("SELECT DISTINCT src_as_name FROM flows_committed ORDER BY 1"))
        .containsExactly("Network 0, Inc.", "Network 1, Inc.", "Network 2, Inc.", "null");
  }

  @Test
  void rejectsWritersOfAnEarlierRun() throws Exception {
    FlowTable table = flows();
    table.rewind(7, Frontier.EMPTY);
    FlowWriter idle = table.writer(7);
    FlowWriter before = table.writer(7);
    before.append(Flows.joined(10, 0, 0));
    table.committed(7, 1, new Frontier(Map.of(0, 1L)));
    before.append(Flows.joined(10, 0, 1));
    assertThat(table.rewind(9, new Frontier(Map.of(0, 1L)))).isEqualTo(10);
    assertThat(table.token()).isEqualTo(9);
    FlowWriter now = table.writer(9);
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
    assertThatThrownBy(() -> table.writer(7)).isInstanceOf(FencedException.class);
    now.flush();
    now.close();
    assertThat(table.rows()).isEqualTo(13);
    assertThat(table.committed().next(0)).isEqualTo(1);
    table.committed(9, 1, new Frontier(Map.of(0, 2L)));
    store = crashAndOpen();
    FlowTable again = flows();
    assertThat(again.token()).isEqualTo(9);
    assertThatThrownBy(() -> again.rewind(9, Frontier.EMPTY)).isInstanceOf(FencedException.class);
    assertThat(again.rows()).isEqualTo(13);
  }

  @Test
  void theNextCheckpointCountsValuesDeletedUnread() {
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
    flows().committed(new Frontier(Map.of(0, 2L)));
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
  void aValueInSeveralBlocksIsOneValue() {
    FlowTable table = flows();
    FlowBlock part = Flows.joined(5, 0, 1);
    FlowBlock last = part.next();
    write(table, Flows.joined(3, 0, 0));
    write(table, part);
    write(table, last);
    assertThat(table.rows()).isEqualTo(8);
    assertThat(table.counters().values()).isEqualTo(2);
  }

  @Test
  void rewindDiscardsUncommittedRows() {
    FlowTable table = flows();
    try (FlowWriter before = table.writer()) {
      before.append(Flows.joined(5, 0, 0));
      table.committed(new Frontier(Map.of(0, 1L)));
      before.append(Flows.joined(5_000, 0, 1));
      table.rewind(new Frontier(Map.of(0, 1L)));
      try (FlowWriter after = table.writer()) {
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
  void keepsExactlyCommittedRowsAfterACrash() throws Exception {
    FlowTable table = flows();
    FlowWriter writer = table.writer();
    writer.append(Flows.joined(100, 0, 1));
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
