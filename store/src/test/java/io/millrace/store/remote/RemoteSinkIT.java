package io.millrace.store.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.FencedException;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.Flows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteSinkIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @TempDir Path directory;
  private Store store;
  private StoreServer server;

  @BeforeEach
  void start() throws IOException {
    start(StoreServer.anyLocalPort());
  }

  private static Store open(Path directory, StoreConfig config) {
    return new DuckDbStore(directory, config, RollupConfig.NONE);
  }

  private void start(InetSocketAddress listen) throws IOException {
    store = open(directory, StoreConfig.defaults().withListen(listen));
    server = new StoreServer(store, listen);
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
    store.close();
  }

  private RemoteFlowSink open() {
    return open(Flows.SCHEMA);
  }

  private RemoteFlowSink open(FlowSchema schema) {
    return RemoteSink.open(
        "127.0.0.1", server.address().getPort(), StoreSecret.NONE, Store.FLOWS, schema, TIMEOUT);
  }

  private FlowTable flows() {
    return store.table(Store.FLOWS, Flows.SCHEMA);
  }

  /** All rows of the table, with names as text. */
  private static List<String> content(Store store) {
    return AnswerRows.of(
        store, "SELECT * FROM flows ORDER BY log_partition, log_offset, log_index");
  }

  /** Writes as a job does that starts at a frontier: 2 partitions, blocks of different lengths. */
  private static void run(BlockSink<FlowBlock, Frontier> sink, long token, long from, long until) {
    Frontier frontier = new Frontier(Map.of(0, from, 1, from));
    sink.rewind(token, frontier);
    sink.begin(token, BlockSink.NO_CHECKPOINT);
    for (long offset = from; offset < until; offset++) {
      sink.append(Flows.joined(500 + (int) offset, 0, offset));
      sink.append(Flows.bare(300, 1, offset));
    }
    Frontier covered = new Frontier(Map.of(0, until, 1, until));
    sink.seal(1, covered);
    sink.sync();
    sink.commit(1, covered);
  }

  private List<String> writtenLocally(long until, Path elsewhere) {
    try (Store other = open(elsewhere, StoreConfig.defaults());
        BlockSink<FlowBlock, Frontier> sink = other.table(Store.FLOWS, Flows.SCHEMA).sink()) {
      run(sink, 1, 0, until);
      return content(other);
    }
  }

  @Test
  void storesTheSameRowsAsALocalWriter(@TempDir Path elsewhere) {
    try (RemoteFlowSink sink = open()) {
      assertThat(sink.committed()).isEqualTo(Frontier.EMPTY);
      run(sink, 1, 0, 20);
      assertThat(content(store)).isEqualTo(writtenLocally(20, elsewhere));
      assertThat(flows().counters().values()).isEqualTo(40);
      assertThat(sink.newestMicros()).isEqualTo(flows().newestMicros());
      assertThat(server.counts().blocks()).isEqualTo(40);
    }
    try (RemoteFlowSink later = open()) {
      assertThat(later.committed()).isEqualTo(new Frontier(Map.of(0, 20L, 1, 20L)));
    }
  }

  @Test
  void fencedWriterThatResumesChangesNothing() {
    try (RemoteFlowSink frozen = open();
        RemoteFlowSink alsoFrozen = open();
        RemoteFlowSink neverBegun = open();
        RemoteFlowSink rewinder = open();
        RemoteFlowSink next = open()) {
      run(frozen, 7, 0, 5);
      alsoFrozen.begin(7, BlockSink.NO_CHECKPOINT);
      alsoFrozen.append(Flows.bare(100, 0, 5));
      Await.until("the store has the unflushed block", () -> server.counts().blocks() == 11);
      run(next, 8, 4, 6);
      List<String> content = content(store);
      Frontier committed = flows().committed();

      frozen.append(Flows.bare(10, 0, 9)); // has no response
      assertThatThrownBy(frozen::flush)
          .isInstanceOf(FencedException.class)
          .hasMessageContaining("token 7")
          .hasMessageContaining("under 8");
      assertThatThrownBy(() -> alsoFrozen.commit(2, new Frontier(Map.of(0, 100L))))
          .isInstanceOf(FencedException.class);
      assertThatThrownBy(() -> rewinder.rewind(8, Frontier.EMPTY))
          .isInstanceOf(FencedException.class)
          .hasMessageContaining("rewind under token 8");
      assertThatThrownBy(() -> neverBegun.begin(7, BlockSink.NO_CHECKPOINT))
          .isInstanceOf(FencedException.class);

      next.flush();
      assertThat(content(store)).isEqualTo(content);
      assertThat(flows().committed()).isEqualTo(committed);
      assertThat(server.counts().fenced()).isEqualTo(4);
    }
  }

  @Test
  void lastTokenSurvivesARestartOfTheStore() throws IOException {
    try (RemoteFlowSink sink = open()) {
      run(sink, 41, 0, 2);
    }
    stop();
    start(StoreServer.anyLocalPort());
    List<String> content = content(store);
    try (RemoteFlowSink late = open()) {
      assertThatThrownBy(() -> late.rewind(41, Frontier.EMPTY)).isInstanceOf(FencedException.class);
    }
    assertThat(content(store)).isEqualTo(content);
    try (RemoteFlowSink sink = open()) {
      run(sink, 42, 0, 2);
      assertThat(content(store)).isEqualTo(content);
    }
  }

  @Test
  void storeThatEndsDuringAppendsHasTheSameRowsAfterARestart(@TempDir Path elsewhere)
      throws IOException {
    InetSocketAddress address = server.address();
    try (RemoteFlowSink sink = open()) {
      run(sink, 1, 0, 10);
      sink.append(Flows.joined(510, 0, 10));
      stop();
      assertThatThrownBy(
              () -> {
                while (true) {
                  sink.append(Flows.joined(510, 0, 10));
                }
              })
          .isInstanceOf(StoreException.class);
      assertThatThrownBy(sink::flush).isInstanceOf(StoreException.class);
    }
    start(address);
    try (RemoteFlowSink sink = open()) {
      run(sink, 2, 10, 20);
    }
    assertThat(content(store)).isEqualTo(writtenLocally(20, elsewhere));
  }

  @Test
  void opensWhenTheStoreComesBack() throws Exception {
    InetSocketAddress address = server.address();
    stop();
    List<RemoteFlowSink> opened = new ArrayList<>();
    Thread early =
        new Thread(
            () ->
                opened.add(
                    RemoteSink.open(
                        "127.0.0.1",
                        address.getPort(),
                        StoreSecret.NONE,
                        Store.FLOWS,
                        Flows.SCHEMA,
                        TIMEOUT)));
    early.start();
    start(address);
    early.join();
    assertThat(opened).hasSize(1);
    run(opened.get(0), 1, 0, 2);
    opened.get(0).close();
  }

  @Test
  void saysWhyAStoreIsUnreachable() {
    int port = server.address().getPort();
    stop();
    assertThatThrownBy(
            () ->
                RemoteSink.open(
                    "127.0.0.1", port, StoreSecret.NONE, Store.FLOWS, Flows.SCHEMA, Duration.ZERO))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("127.0.0.1:" + port)
        .hasMessageContaining("start it");
    store = open(directory, StoreConfig.defaults());
  }

  @Test
  void reportsErrorsOfTheStoreToTheWriter() {
    try (RemoteFlowSink sink = open()) {
      run(sink, 1, 0, 1);
      assertThatThrownBy(
              () ->
                  open(
                      new FlowSchema(
                          List.of(new FlowSchema.AddedColumn("src_as", JoinedColumn.Kind.TEXT)))))
          .isInstanceOf(WrongSchemaException.class)
          .hasMessageContaining("src_as");
      var unknown = Flows.bare(1, 0, 2);
      unknown.joined().add(new JoinedColumn("colour", JoinedColumn.Kind.NUMBER, 0, new int[] {1}));
      assertThatThrownBy(() -> sink.append(unknown))
          .isInstanceOf(WrongSchemaException.class)
          .hasMessageContaining("colour");
    }
  }

  @Test
  void waitsForRoomInTheStore() {
    try (RemoteFlowSink sink = open()) {
      sink.rewind(1, Frontier.EMPTY);
      sink.begin(1, BlockSink.NO_CHECKPOINT);
      for (int offset = 0; offset < 100; offset++) {
        sink.append(Flows.joined(4_000, 0, offset));
      }
      sink.flush();
      assertThat(flows().rows()).isEqualTo(400_000);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\nHost: store\r\n\r\n",
        "\u0002\0\0\0\u0001ab",
        "\n\0\0\0\u0001millracec\0",
        "\n\0\0\0\u0001millrace\u0004\0",
        "\n\0\0\0\u0001millrace\u0002\0\u0004\0\0\0\u0002\u007f\u007f\u007f\u007f",
        "\u00ff\u00ff\u00ff\u00ff\u0001"
      })
  void closesConnectionsOfOtherProtocols(String bytes) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
      socket.getOutputStream().write(bytes.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
      socket.shutdownOutput();
      socket.getInputStream().readAllBytes(); // until it is closed
    }
    assertThat(server.counts().rejected()).isEqualTo(1);
    try (RemoteFlowSink sink = open()) {
      run(sink, 1, 0, 1);
    }
  }

  private RemoteFlowSink open(StoreSecret secret) {
    return RemoteSink.open(
        "127.0.0.1", server.address().getPort(), secret, Store.FLOWS, Flows.SCHEMA, TIMEOUT);
  }

  private void restart(StoreSecret secret) throws IOException {
    stop();
    store = open(directory, StoreConfig.defaults());
    server = new StoreServer(store, StoreServer.anyLocalPort(), secret, true);
    server.start();
  }

  @Test
  void admitsClientsWithTheSecret(@TempDir Path elsewhere) throws IOException {
    Path file = elsewhere.resolve(StoreSecret.FILE_NAME);
    StoreSecret secret = StoreSecret.readOrMake(file);
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(StoreSecret.readOrMake(file)).isEqualTo(secret);
    restart(secret);
    StoreSecret wrong = StoreSecret.readOrMake(elsewhere.resolve("other"));
    for (StoreSecret shown : List.of(StoreSecret.NONE, wrong)) {
      assertThatThrownBy(() -> open(shown))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("wrong store secret")
          .hasMessageContaining(StoreSecret.FILE_NAME);
    }
    assertThat(server.counts().rejected()).isEqualTo(2);
    try (RemoteFlowSink sink = open(StoreSecret.read(file))) {
      run(sink, 1, 0, 2);
    }
  }

  @Test
  void silentClientsDoNotBlockOthers() throws IOException {
    restart(StoreSecret.readOrMake(directory.resolve(StoreSecret.FILE_NAME)));
    List<Socket> unauthenticated = new ArrayList<>();
    try {
      for (int i = 0; i < 150; i++) {
        unauthenticated.add(
            new Socket(InetAddress.getLoopbackAddress(), server.address().getPort()));
      }
      try (RemoteFlowSink sink = open(server.secret())) {
        run(sink, 1, 0, 2);
        assertThat(server.counts().open()).isLessThanOrEqualTo(65);
      }
      assertThat(unauthenticated.get(0).getInputStream().read()).isEqualTo(-1);
    } finally {
      for (Socket client : unauthenticated) {
        client.close();
      }
    }
  }

  @Test
  void takesABlockInParts() {
    int rows = 700_000;
    FlowBlock block = Flows.joined(rows, 0, 0);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < rows; i++) {
      block.addressHigh(FlowColumn.SRC_ADDR)[i] = random.nextLong();
      block.addressLow(FlowColumn.SRC_ADDR)[i] = random.nextLong();
    }
    BlockBuffer bytes = new BlockBuffer(1 << 20);
    assertThat(BlockCodec.encode(block, bytes)).isGreaterThan(StoreProtocol.MAX_BYTES);
    try (RemoteFlowSink sink = open()) {
      sink.rewind(1, Frontier.EMPTY);
      sink.begin(1, BlockSink.NO_CHECKPOINT);
      sink.append(block);
      sink.append(Flows.joined(10, 0, 1));
      sink.flush();
      assertThat(flows().rows()).isEqualTo(rows + 10);
      assertThat(flows().counters().values()).isEqualTo(2);
      assertThat(server.counts().blocks()).isEqualTo(2);
    }
  }

  @Test
  void closesAWriterThatSendsABrokenBlock() throws IOException {
    try (RemoteFlowSink good = open();
        StoreConnection bad =
            StoreConnection.open(
                "127.0.0.1", server.address().getPort(), StoreSecret.NONE, TIMEOUT)) {
      good.rewind(1, Frontier.EMPTY);
      good.begin(1, BlockSink.NO_CHECKPOINT);
      var body = new io.millrace.wire.block.BlockBuffer(64);
      StoreProtocol.putText(Store.FLOWS, body);
      StoreProtocol.putSchema(Flows.SCHEMA, body);
      bad.request(StoreProtocol.OPEN, body);
      body.clear();
      body.putLong(1);
      body.putLong(BlockSink.NO_CHECKPOINT);
      bad.request(StoreProtocol.BEGIN, body);
      body.clear();
      body.putLong(0x0102030405060708L);
      bad.send(StoreProtocol.APPEND, body);
      body.clear();
      assertThatThrownBy(() -> bad.request(StoreProtocol.FLUSH, body))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("family");
      good.append(Flows.joined(10, 0, 0));
      good.flush();
    }
    assertThat(server.counts().rejected()).isEqualTo(1);
    assertThat(flows().rows()).isEqualTo(10);
  }
}
