package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requirements of every store; the test of a store opens and crashes it. */
public abstract class StoreContract {
  protected Store store;

  /** Opens the store; from the second time on, with the same data. */
  protected abstract Store open() throws Exception;

  /** Ends the store like a killed process, and reopens its data. */
  protected abstract Store crashAndOpen() throws Exception;

  @BeforeEach
  void start() throws Exception {
    store = open();
  }

  @AfterEach
  void stop() {
    store.close();
  }

  protected final List<String> rows(String sql) {
    return rows(store, sql);
  }

  protected static List<String> rows(Store store, String sql) {
    return AnswerRows.of(store, sql);
  }

  protected final FlowTable flows() {
    return store.table(Store.FLOWS, Flows.SCHEMA);
  }

  protected static void write(FlowTable table, FlowBlock... blocks) {
    try (FlowWriter writer = table.writer()) {
      for (FlowBlock block : blocks) {
        writer.append(block);
      }
      writer.flush();
    }
  }

  @Test
  @Timeout(60)
  void showsRowsAfterTheMaximumDelay() {
    FlowTable table = flows();
    try (FlowWriter writer = table.writer()) {
      for (int offset = 0; offset < 3; offset++) {
        writer.append(Flows.joined(10, 0, offset));
        long expected = 10L * (offset + 1);
        while (table.rows() < expected) {
          Thread.onSpinWait();
        }
        assertThat(table.rows()).isEqualTo(expected);
      }
      while (writer.pendingRows() > 0) { // rows are visible before they are no longer pending
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void oneWriterFlushesOnlyItsRows() {
    FlowTable table = flows();
    try (FlowWriter one = table.writer()) {
      one.append(Flows.joined(5, 0, 0));
      try (FlowWriter other = table.writer()) {
        other.append(Flows.joined(3, 1, 0));
        other.flush();
      }
      one.append(Flows.joined(5, 0, 1));
      one.flush();
    }
    assertThat(table.rows()).isEqualTo(13);
    assertThat(table.counters().values()).isEqualTo(3);
  }

  @Test
  void keepsEveryValueAsItCame() {
    write(flows(), Flows.joined(12, 3, 8));
    assertThat(
            rows(
                "SELECT time, exporter, src_addr, dst_addr, proto, src_port, dst_port, bytes,"
                    + " packets, sampling_rate, tcp_flags, next_hop, src_as, src_as_name, dst_dns,"
                    + " log_partition, log_offset, log_index FROM flows WHERE log_index IN (3, 4,"
                    + " 9) ORDER BY log_index"))
        .containsExactly(
            "2023-11-14 22:13:20.008003|10.0.0.1|192.0.2.3|198.51.100.3|6|null|null|103|1|1000"
                + "|null|null|null|null|null|3|8|3",
            "2023-11-14 22:13:20.008004|10.0.0.1|192.0.2.4|198.51.100.4|6|443|40004|104|1|1000"
                + "|null|null|64500|Network 0, Inc.|host0.example.net|3|8|4",
            "2023-11-14 22:13:20.008009|10.0.0.1|2001:db8::9|2001:db8::9|6|null|null|109|1|1000"
                + "|null|null|64501|Network 1, Inc.|host1.example.net|3|8|9");
  }

  @Test
  void keepsOptionalColumnsOfTheBlocksThatHaveThem() {
    FlowTable table = flows();
    FlowBlock records = Flows.joined(130, 0, 1);
    for (int i = 0; i < 130; i += 2) {
      records.longs(FlowColumn.FLOW_START)[i] = 1_700_000_000_000_000L + i;
      records.longs(FlowColumn.SRC_MAC)[i] = 0x00_0C_29_AB_CD_00L + i;
      records.ints(FlowColumn.SRC_MASK)[i] = 24;
      records.addressHigh(FlowColumn.NAT_SRC_ADDR)[i] = 0;
      records.addressLow(FlowColumn.NAT_SRC_ADDR)[i] = Addresses.v4Low(0xC000_0201);
    }
    try (FlowWriter writer = table.writer()) {
      writer.append(Flows.joined(70, 0, 0));
      writer.append(records);
      writer.append(Flows.joined(70, 0, 2));
      writer.flush();
    }
    assertThat(
            rows(
                "SELECT flow_start, flow_end, src_mac, src_mask, nat_src_addr FROM flows WHERE"
                    + " log_offset = 1 AND log_index IN (10, 11) ORDER BY log_index"))
        .containsExactly(
            "2023-11-14 22:13:20.00001|null|00:0c:29:ab:cd:0a|24|192.0.2.1",
            "null|null|null|null|null");
    assertThat(
            rows(
                "SELECT count(flow_start), count(src_mac), count(src_mask), count(nat_src_addr),"
                    + " count(direction), count(*) FILTER (src_mac IS NOT NULL AND log_offset = 1)"
                    + " FROM flows"))
        .containsExactly("65|65|65|65|0|65");
  }

  @Test
  void acceptsMoreRowsThanOneCommit() {
    FlowTable table = flows();
    int rows = 0;
    try (FlowWriter writer = table.writer()) {
      for (int offset = 0; offset < 240; offset++) {
        writer.append(Flows.joined(1000 + offset, offset % 4, offset));
        rows += 1000 + offset;
      }
      assertThat(table.rows()).isPositive(); // some were committed before
      writer.flush();
    }
    assertThat(table.rows()).isEqualTo(rows);
    assertThat(
            rows(
                "SELECT count(*), sum(log_index), count(src_as), count(src_port) FROM (SELECT"
                    + " DISTINCT log_partition, log_offset, log_index, src_as, src_port FROM"
                    + " flows)"))
        .containsExactly(expectedSums());
  }

  private static String expectedSums() {
    long count = 0;
    long sum = 0;
    long known = 0;
    long ports = 0;
    for (int offset = 0; offset < 240; offset++) {
      for (int i = 0; i < 1000 + offset; i++) {
        count++;
        sum += i;
        known += i % 4 == 3 ? 0 : 1;
        ports += i % 3 == 0 ? 0 : 1;
      }
    }
    return count + "|" + sum + "|" + known + "|" + ports;
  }

  @Test
  void rejectsASinkThatHasNotBegun() {
    try (FlowWriter sink = flows().sink()) {
      assertThatThrownBy(() -> sink.append(Flows.joined(10, 0, 0)))
          .isInstanceOf(FencedException.class);
      assertThatThrownBy(() -> sink.commit(1, new Frontier(Map.of(0, 1L))))
          .isInstanceOf(FencedException.class);
      sink.begin(flows().token(), 0);
      sink.append(Flows.joined(10, 0, 0));
      sink.seal(1, new Frontier(Map.of(0, 1L)));
    }
    assertThat(flows().rows()).isEqualTo(10);
  }

  @Test
  void storesANameOnceAndATextUnderOneId() {
    FlowTable table = flows();
    FlowBlock first = Flows.joined(3, 0, 1);
    FlowBlock again = Flows.joined(3, 0, 2);
    FlowBlock other = Flows.bare(1, 0, 3); // another data set with a known text
    other.joined().add(new JoinedColumn("src_dns", JoinedColumn.Kind.TEXT, 1000, new int[] {1}));
    Flows.name(other, 1001, "host2.example.net");
    write(table, first, again, other);
    assertThat(rows("SELECT count(*), count(DISTINCT id) FROM names")).containsExactly("7|7");
    assertThat(rows("SELECT src_dns, count(*) FROM flows GROUP BY src_dns ORDER BY src_dns"))
        .containsExactly("host0.example.net|2", "host1.example.net|2", "host2.example.net|3");
  }

  @Test
  void rejectsAnotherKindOfColumn() {
    flows();
    assertThatThrownBy(
            () ->
                store.table(
                    Store.FLOWS,
                    new FlowSchema(
                        List.of(new FlowSchema.AddedColumn("src_as", JoinedColumn.Kind.TEXT)))))
        .isInstanceOf(WrongSchemaException.class)
        .hasMessageContaining("src_as");
    try (FlowWriter writer = store.table("bare", new FlowSchema(List.of())).writer()) {
      assertThatThrownBy(() -> writer.append(Flows.joined(1, 0, 1)))
          .isInstanceOf(WrongSchemaException.class);
    }
  }

  @Test
  void acceptsRowsOfTwoThreadsDuringReads() throws Exception {
    FlowTable table = flows();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int partition = 0; partition < 2; partition++) {
      int own = partition;
      threads.add(
          new Thread(
              () -> {
                try (FlowWriter writer = table.writer()) {
                  for (int offset = 0; offset < 30; offset++) {
                    writer.append(Flows.joined(2000, own, offset));
                    if (offset % 5 == 0) {
                      writer.flush();
                    }
                  }
                  writer.flush();
                } catch (RuntimeException e) {
                  failure.set(e);
                }
              }));
    }
    threads.forEach(Thread::start);
    while (threads.stream().anyMatch(Thread::isAlive)) {
      assertThat(rows("SELECT src_dns, count(*) FROM flows GROUP BY 1").size()).isLessThan(5);
    }
    assertThat(failure.get()).isNull();
    assertThat(table.rows()).isEqualTo(120_000);
  }

  @Test
  void listsTheLargestGroups() {
    write(flows(), Flows.joined(8, 0, 0));
    TopResult top = store.top(FlowQuery.top(2, FlowQuery.Measure.BITS, "src_as"));
    assertThat(top.columns()).containsExactly("src_as");
    assertThat(top.rows())
        .containsExactly(
            new TopResult.Row(java.util.Collections.singletonList(null), 210_000, 2),
            new TopResult.Row(List.of("AS64502 Network 2, Inc."), 208_000, 2));
    assertThat(top.total()).isEqualTo(828_000);
    assertThat(top.estimated()).isTrue();
    TopResult pairs = store.top(FlowQuery.top(1, FlowQuery.Measure.PACKETS, "addr", "proto"));
    assertThat(pairs.columns()).containsExactly("src_addr", "dst_addr", "proto");
    assertThat(pairs.rows().get(0).volume()).isEqualTo(1000);
    assertThatThrownBy(() -> store.top(FlowQuery.top(1, FlowQuery.Measure.BITS, "colour")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
