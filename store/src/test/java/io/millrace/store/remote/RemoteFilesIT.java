package io.millrace.store.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.FencedException;
import io.millrace.store.FlowTable;
import io.millrace.store.Flows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sinks that write the files themselves, and also send the rows to make them visible, or not. */
class RemoteFilesIT {
  private static final RollupConfig ROLLUPS =
      RollupConfig.DEFAULT.withSets(Map.of("domain", List.of(), "member", List.of()));

  @TempDir Path directory;
  private DuckDbStore store;
  private StoreServer server;

  private void start(boolean hasTail) throws IOException {
    start(directory.resolve("store"), hasTail);
  }

  private void start(Path folder, boolean hasTail) throws IOException {
    Files.createDirectories(folder);
    store =
        new DuckDbStore(
            folder, StoreConfig.defaults().withListen(StoreServer.anyLocalPort()), ROLLUPS);
    server = new StoreServer(store, StoreServer.anyLocalPort(), StoreSecret.NONE, hasTail);
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
    store.close();
  }

  private void restart(boolean hasTail) throws IOException {
    stop();
    start(hasTail);
  }

  private RemoteFlowSink open() {
    return RemoteSink.open(
        "127.0.0.1",
        server.address().getPort(),
        StoreSecret.NONE,
        Store.FLOWS,
        Flows.SCHEMA,
        Duration.ofMinutes(1));
  }

  private RemoteFlowSink begin(long token, Frontier from) {
    RemoteFlowSink sink = open();
    sink.rewind(token, from);
    sink.begin(token, BlockSink.NO_CHECKPOINT);
    return sink;
  }

  private FlowTable flows() {
    return store.table(Store.FLOWS, Flows.SCHEMA);
  }

  private static Frontier upTo(long offset) {
    return new Frontier(Map.of(0, offset));
  }

  private List<String> content() {
    return rows("SELECT * FROM flows ORDER BY log_partition, log_offset, log_index");
  }

  private List<String> rows(String sql) {
    return AnswerRows.of(store, sql);
  }

  private List<String> values(String view) {
    return rows("SELECT log_offset, count(*) FROM " + view + " GROUP BY 1 ORDER BY 1");
  }

  private List<String> everything() throws Exception {
    store.rollUp();
    List<String> all = new ArrayList<>(content());
    for (String set : List.of("as", "src", "dst", "port", "interface")) {
      for (String grain : List.of("minute", "five", "hour", "day")) {
        String view = "flows_" + grain + "_" + set;
        all.addAll(rows("SELECT '" + view + "', * FROM " + view + " ORDER BY ALL"));
      }
    }
    all.addAll(rows("SELECT * FROM flows_sampled ORDER BY ALL"));
    all.add(flows().counters().values() + " values");
    return all;
  }

  private List<Path> dataFiles() throws IOException {
    Path data = directory.resolve("store/tables/flows/data");
    if (!Files.isDirectory(data)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(data)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  /** Gives each text another id, as another version of a data set does. */
  private static FlowBlock renumbered(FlowBlock block) {
    List<String> texts = new ArrayList<>();
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < block.names().size(); i++) {
      ids.add(block.names().id(i) + (1L << 50));
      texts.add(block.names().text(i));
    }
    block.names().clear();
    for (int i = 0; i < texts.size(); i++) {
      Flows.name(block, ids.get(i), texts.get(i));
    }
    block
        .joined()
        .replaceAll(
            column ->
                column.base() == 0
                    ? column
                    : new JoinedColumn(
                        column.name(), column.kind(), column.base() + (1L << 50), column.values()));
    return block;
  }

  private static void fill(List<? extends BlockSink<FlowBlock, Frontier>> sinks) {
    sinks.get(0).rewind(1, Frontier.EMPTY);
    sinks.forEach(sink -> sink.begin(1, BlockSink.NO_CHECKPOINT));
    for (int offset = 0; offset < 12; offset++) {
      FlowBlock block =
          offset % 3 == 0
              ? Flows.records(400, 0, offset)
              : offset % 3 == 1
                  ? renumbered(Flows.joined(700, 0, offset))
                  : Flows.bare(9, 0, offset);
      sinks.get(offset % sinks.size()).append(block);
    }
    for (BlockSink<FlowBlock, Frontier> sink : sinks) {
      sink.seal(1, upTo(12));
      sink.sync();
    }
    sinks.forEach(sink -> sink.commit(1, upTo(12)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rowsSumsAndSampleEqualThoseOfLocalSinks(boolean hasTail) throws Exception {
    start(hasTail);
    try (RemoteFlowSink one = open();
        RemoteFlowSink two = open()) {
      fill(List.of(one, two));
      assertThat(one.writesFiles() && two.writesFiles()).isTrue();
      assertThat(server.fileWriters(Store.FLOWS)).isEqualTo(2);
      assertThat(server.counts().blocks()).isEqualTo(12);
      if (!hasTail) {
        assertThat(server.counts().bytes()).as("names and counters").isLessThan(12 * 300);
      }
    }
    List<String> remote = everything();
    stop();
    start(directory.resolve("local"), true);
    fill(List.of(flows().sink(), flows().sink()));
    assertThat(remote).hasSizeGreaterThan(5_000).isEqualTo(everything());
  }

  @Test
  void rowsAreVisibleOnceBeforeAndAfterTheirFilesExist() throws Exception {
    start(true);
    try (RemoteFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.append(Flows.records(20, 0, 1));
      Await.until("two blocks", () -> server.counts().blocks() == 2);
      List<String> before = content();
      assertThat(values("flows")).containsExactly("0|10", "1|20");
      sink.seal(1, upTo(2));
      sink.append(Flows.joined(30, 0, 2));
      sink.sync();
      assertThat(values("flows_committed")).isEmpty();
      assertThat(values("flows")).containsExactly("0|10", "1|20", "2|30");
      assertThat(dataFiles()).hasSize(2);
      sink.commit(1, upTo(2));
      assertThat(values("flows_committed")).containsExactly("0|10", "1|20");
      assertThat(values("flows")).containsExactly("0|10", "1|20", "2|30");
      assertThat(content()).containsAll(before);
      sink.flush();
      assertThat(dataFiles()).hasSize(3);
      assertThat(values("flows")).containsExactly("0|10", "1|20", "2|30");
    }
  }

  @Test
  void rowsThatAreNotSentBecomeVisibleWithTheirFiles() throws Exception {
    start(false);
    try (RemoteFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      Await.until("a block", () -> server.counts().blocks() == 1);
      assertThat(values("flows")).isEmpty();
      sink.seal(1, upTo(1));
      sink.sync();
      assertThat(values("flows")).containsExactly("0|10");
      assertThat(rows("SELECT DISTINCT src_as_name FROM flows WHERE src_as = 64500"))
          .containsExactly("Network 0, Inc.");
      sink.commit(1, upTo(1));
      assertThat(values("flows_committed")).containsExactly("0|10");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void connectionLostBeforeTheSealLeavesNothing(boolean hasTail) throws Exception {
    start(hasTail);
    try (RemoteFlowSink other = begin(1, Frontier.EMPTY)) {
      RemoteFlowSink sink = open();
      sink.begin(1, BlockSink.NO_CHECKPOINT);
      sink.append(Flows.joined(10, 0, 0));
      sink.flush();
      sink.append(Flows.joined(10, 0, 1));
      assertThat(dataFiles()).hasSize(1);
      sink.close();
      Await.until("it is closed", () -> server.writers(Store.FLOWS) == 1);
      assertThat(values("flows")).isEmpty();
      assertThat(dataFiles()).isEmpty();
      other.seal(1, Frontier.EMPTY);
      other.sync();
      other.commit(1, Frontier.EMPTY);
    }
    try (RemoteFlowSink sink = begin(2, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.append(Flows.joined(10, 0, 1));
      sink.seal(1, upTo(2));
      sink.sync();
      sink.commit(1, upTo(2));
      assertThat(values("flows_committed")).containsExactly("0|10", "1|10");
      assertThat(flows().counters().values()).isEqualTo(2);
    }
  }

  /** Another sink commits, or the next run of the job does. */
  @ParameterizedTest
  @ValueSource(strings = {"other", "next", "restarted"})
  void connectionLostAfterTheSealKeepsItsFiles(String committer) throws Exception {
    start(committer.equals("next"));
    try (RemoteFlowSink other = begin(1, Frontier.EMPTY)) {
      RemoteFlowSink sink = open();
      sink.begin(1, BlockSink.NO_CHECKPOINT);
      sink.append(Flows.joined(10, 0, 0));
      sink.seal(1, upTo(1));
      sink.sync();
      sink.append(Flows.joined(20, 0, 1));
      sink.close();
      Await.until("it is closed", () -> server.writers(Store.FLOWS) == 1);
      other.seal(1, Frontier.EMPTY);
      other.sync();
      assertThat(values("flows")).containsExactly("0|10");
      if (committer.equals("other")) {
        other.commit(1, Frontier.EMPTY);
        assertThat(values("flows_committed")).containsExactly("0|10");
      }
    }
    if (committer.equals("restarted")) {
      restart(true);
    }
    try (RemoteFlowSink sink = begin(2, upTo(1))) {
      assertThat(values("flows_committed")).containsExactly("0|10");
      sink.append(Flows.joined(10, 0, 0)); // a replay
      sink.append(Flows.joined(20, 0, 1));
      sink.seal(2, upTo(2));
      sink.sync();
      sink.commit(2, upTo(2));
      assertThat(values("flows_committed")).containsExactly("0|10", "1|20");
      assertThat(dataFiles()).hasSize(2);
      assertThat(flows().counters().values()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRewindBeforeTheSealedCheckpointDeletesItsFiles(boolean hasTail) throws Exception {
    start(hasTail);
    try (RemoteFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.seal(1, upTo(1));
      sink.sync();
      sink.commit(1, upTo(1));
      sink.append(Flows.joined(20, 0, 1));
      sink.seal(2, upTo(2));
      sink.sync();
      assertThat(dataFiles()).hasSize(2);
    }
    try (RemoteFlowSink sink = begin(2, upTo(1))) {
      assertThat(values("flows")).containsExactly("0|10");
      assertThat(dataFiles()).hasSize(1);
      sink.append(Flows.joined(20, 0, 1));
      sink.seal(2, upTo(2));
      sink.sync();
      sink.commit(2, upTo(2));
      assertThat(values("flows_committed")).containsExactly("0|10", "1|20");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFencedSinkLeavesNoFile(boolean hasTail) throws Exception {
    start(hasTail);
    try (RemoteFlowSink frozen = begin(7, Frontier.EMPTY);
        RemoteFlowSink sealed = open()) {
      sealed.begin(7, BlockSink.NO_CHECKPOINT);
      frozen.append(Flows.joined(10, 0, 0));
      sealed.append(Flows.joined(15, 0, 1));
      sealed.seal(1, new Frontier(Map.of(0, 2L)));
      sealed.sync();
      try (RemoteFlowSink next = begin(8, Frontier.EMPTY)) {
        assertThat(dataFiles()).isEmpty();
        assertThatThrownBy(
                () -> {
                  frozen.seal(1, upTo(1));
                  frozen.sync();
                })
            .isInstanceOf(FencedException.class)
            .hasMessageContaining("token 7");
        assertThatThrownBy(() -> sealed.commit(1, upTo(2))).isInstanceOf(FencedException.class);
        next.append(Flows.joined(20, 0, 0));
        next.seal(1, upTo(1));
        next.sync();
        next.commit(1, upTo(1));
        assertThat(values("flows")).containsExactly("0|20");
        frozen.close();
        Await.until("its file is deleted", () -> dataFiles().size() == 1);
        assertThat(values("flows_committed")).containsExactly("0|20");
      }
    }
  }

  @Test
  void storeKilledBetweenSealAndCommitHasTheSameRows() throws Exception {
    start(true);
    RemoteFlowSink sink = begin(1, Frontier.EMPTY);
    sink.append(Flows.joined(10, 0, 0));
    sink.seal(1, upTo(1));
    sink.sync();
    sink.append(Flows.joined(20, 0, 1));
    restart(true);
    assertThatThrownBy(() -> sink.commit(1, upTo(1))).isInstanceOf(RuntimeException.class);
    sink.close();
    assertThat(flows().stored()).isEqualTo(upTo(1));
    try (RemoteFlowSink next = begin(2, upTo(1))) {
      assertThat(values("flows_committed")).containsExactly("0|10");
      assertThat(next.writesFiles()).isTrue();
    }
  }

  @Test
  void rowsAreSentIfTheDirectoryDiffers() throws Exception {
    start(false);
    String unused = flows().tableDescriptor();
    Files.writeString(directory.resolve("store/tables/flows/writers/marker"), "another");
    try (RemoteFlowSink sink = begin(1, Frontier.EMPTY)) {
      assertThat(sink.writesFiles()).isFalse();
      assertThat(server.fileWriters(Store.FLOWS)).isZero();
      sink.append(Flows.joined(10, 0, 0));
      sink.seal(1, upTo(1));
      sink.sync();
      sink.commit(1, upTo(1));
      assertThat(values("flows_committed")).containsExactly("0|10");
    }
  }

  /** Names are committed before the flows that refer to them, so each id has a name. */
  @Test
  void namesOfCommittedRowsAreCommitted() throws Exception {
    start(false);
    try (RemoteFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.seal(1, upTo(1));
      sink.sync();
      sink.commit(1, upTo(1));
    }
    stop();
    Files.delete(directory.resolve("store/millrace.duckdb"));
    Files.deleteIfExists(directory.resolve("store/millrace.duckdb.wal"));
    Files.deleteIfExists(directory.resolve("store/millrace.duckdb.synced"));
    start(true);
    assertThat(rows("SELECT DISTINCT src_as_name FROM flows_committed WHERE src_as = 64501"))
        .containsExactly("Network 1, Inc.");
  }
}
