package io.millrace.store.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.FencedException;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.Flows;
import io.millrace.store.Inlet;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.TableInlet;
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

class RemoteInletIT {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

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

  private RemoteInlet<FlowBlock, Frontier> open() {
    return open(Flows.SCHEMA);
  }

  private RemoteInlet<FlowBlock, Frontier> open(FlowSchema schema) {
    return RemoteInlet.open(
        "127.0.0.1",
        server.address().getPort(),
        StoreSecret.NONE,
        Store.FLOWS,
        schema,
        Flows.LATER,
        PATIENCE);
  }

  private FlowTable flows() {
    return store.table(Store.FLOWS, Flows.SCHEMA);
  }

  /** All there is in the table, names in full. */
  private static List<String> content(Store store) {
    return AnswerRows.of(
        store, "SELECT * FROM flows ORDER BY log_partition, log_offset, log_index");
  }

  /** What a job does from a frontier on: 2 partitions, blocks of different lengths. */
  private static void run(Inlet<FlowBlock, Frontier> inlet, long token, long from, long until) {
    Frontier frontier = new Frontier(Map.of(0, from, 1, from));
    inlet.rewind(token, frontier);
    inlet.begin(token);
    for (long offset = from; offset < until; offset++) {
      inlet.append(Flows.joined(500 + (int) offset, 0, offset));
      inlet.append(Flows.bare(300, 1, offset));
    }
    inlet.flush();
    inlet.committed(1, new Frontier(Map.of(0, until, 1, until)));
  }

  private List<String> undisturbed(long until, Path elsewhere) {
    try (Store other = open(elsewhere, StoreConfig.defaults());
        Inlet<FlowBlock, Frontier> inlet =
            TableInlet.of(other, other.table(Store.FLOWS, Flows.SCHEMA), Flows.LATER)) {
      run(inlet, 1, 0, until);
      return content(other);
    }
  }

  @Test
  void fillsTheTableAsAWriterInTheProcessDoes(@TempDir Path elsewhere) {
    try (RemoteInlet<FlowBlock, Frontier> inlet = open()) {
      assertThat(inlet.committed()).isEqualTo(Frontier.EMPTY);
      run(inlet, 1, 0, 20);
      assertThat(content(store)).isEqualTo(undisturbed(20, elsewhere));
      assertThat(flows().counters().values()).isEqualTo(40);
      assertThat(inlet.newestMicros()).isEqualTo(flows().newestMicros());
      assertThat(server.counts().blocks()).isEqualTo(40);
    }
    try (RemoteInlet<FlowBlock, Frontier> later = open()) {
      assertThat(later.committed()).isEqualTo(new Frontier(Map.of(0, 20L, 1, 20L)));
    }
  }

  @Test
  void anOldWriterThatThawsChangesNothing() {
    try (RemoteInlet<FlowBlock, Frontier> frozen = open();
        RemoteInlet<FlowBlock, Frontier> alsoFrozen = open();
        RemoteInlet<FlowBlock, Frontier> neverBegun = open();
        RemoteInlet<FlowBlock, Frontier> rewinder = open();
        RemoteInlet<FlowBlock, Frontier> next = open()) {
      run(frozen, 7, 0, 5);
      alsoFrozen.begin(7);
      alsoFrozen.append(Flows.bare(100, 0, 5));
      Await.until(
          "it is on its way when the table is rewound", () -> server.counts().blocks() == 11);
      run(next, 8, 4, 6);
      List<String> content = content(store);
      Frontier committed = flows().committed();

      frozen.append(Flows.bare(10, 0, 9)); // is not answered
      assertThatThrownBy(frozen::flush)
          .isInstanceOf(FencedException.class)
          .hasMessageContaining("token 7")
          .hasMessageContaining("under 8");
      assertThatThrownBy(() -> alsoFrozen.committed(2, new Frontier(Map.of(0, 100L))))
          .isInstanceOf(FencedException.class);
      assertThatThrownBy(() -> rewinder.rewind(8, Frontier.EMPTY))
          .isInstanceOf(FencedException.class)
          .hasMessageContaining("rewind under token 8");
      assertThatThrownBy(() -> neverBegun.begin(7)).isInstanceOf(FencedException.class);

      next.flush();
      assertThat(content(store)).isEqualTo(content);
      assertThat(flows().committed()).isEqualTo(committed);
      assertThat(server.counts().fenced()).isEqualTo(4);
    }
  }

  @Test
  void theLastTokenOutlivesTheStore() throws IOException {
    try (RemoteInlet<FlowBlock, Frontier> inlet = open()) {
      run(inlet, 41, 0, 2);
    }
    stop();
    start(StoreServer.anyLocalPort());
    List<String> content = content(store);
    try (RemoteInlet<FlowBlock, Frontier> late = open()) {
      assertThatThrownBy(() -> late.rewind(41, Frontier.EMPTY)).isInstanceOf(FencedException.class);
    }
    assertThat(content(store)).isEqualTo(content);
    try (RemoteInlet<FlowBlock, Frontier> inlet = open()) {
      assertThat(inlet.rewind(42, Frontier.EMPTY)).isEqualTo(content.size());
    }
  }

  @Test
  void aStoreThatEndsAmongAppendsIsFilledTheSameAfterwards(@TempDir Path elsewhere)
      throws IOException {
    InetSocketAddress address = server.address();
    try (RemoteInlet<FlowBlock, Frontier> inlet = open()) {
      run(inlet, 1, 0, 10);
      inlet.append(Flows.joined(510, 0, 10));
      stop();
      assertThatThrownBy(
              () -> {
                while (true) {
                  inlet.append(Flows.joined(510, 0, 10));
                }
              })
          .isInstanceOf(StoreException.class);
      assertThatThrownBy(inlet::flush).isInstanceOf(StoreException.class);
    }
    start(address);
    try (RemoteInlet<FlowBlock, Frontier> inlet = open()) {
      run(inlet, 2, 10, 20);
    }
    assertThat(content(store)).isEqualTo(undisturbed(20, elsewhere));
  }

  @Test
  void opensWhenTheStoreComesBack() throws Exception {
    InetSocketAddress address = server.address();
    stop();
    List<RemoteInlet<FlowBlock, Frontier>> opened = new ArrayList<>();
    Thread early =
        new Thread(
            () ->
                opened.add(
                    RemoteInlet.open(
                        "127.0.0.1",
                        address.getPort(),
                        StoreSecret.NONE,
                        Store.FLOWS,
                        Flows.SCHEMA,
                        Flows.LATER,
                        PATIENCE)));
    early.start();
    start(address);
    early.join();
    assertThat(opened).hasSize(1);
    run(opened.get(0), 1, 0, 2);
    opened.get(0).close();
  }

  @Test
  void saysWhyAStoreIsNotReached() {
    int port = server.address().getPort();
    stop();
    assertThatThrownBy(
            () ->
                RemoteInlet.open(
                    "127.0.0.1",
                    port,
                    StoreSecret.NONE,
                    Store.FLOWS,
                    Flows.SCHEMA,
                    Flows.LATER,
                    Duration.ZERO))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("127.0.0.1:" + port)
        .hasMessageContaining("start it");
    store = open(directory, StoreConfig.defaults());
  }

  @Test
  void bringsErrorsOfTheStoreToTheWriter() {
    try (RemoteInlet<FlowBlock, Frontier> inlet = open()) {
      run(inlet, 1, 0, 1);
      assertThatThrownBy(
              () ->
                  open(
                      new FlowSchema(
                          List.of(new FlowSchema.AddedColumn("src_as", JoinedColumn.Kind.TEXT)))))
          .isInstanceOf(WrongSchemaException.class)
          .hasMessageContaining("src_as");
      var unknown = Flows.bare(1, 0, 2);
      unknown.joined().add(new JoinedColumn("colour", JoinedColumn.Kind.NUMBER, 0, new int[] {1}));
      inlet.append(unknown);
      assertThatThrownBy(inlet::flush)
          .isInstanceOf(WrongSchemaException.class)
          .hasMessageContaining("colour");
    }
  }

  @Test
  void waitsForRoomInTheStore() {
    try (RemoteInlet<FlowBlock, Frontier> inlet = open()) {
      inlet.rewind(1, Frontier.EMPTY);
      inlet.begin(1);
      for (int offset = 0; offset < 100; offset++) {
        inlet.append(Flows.joined(4_000, 0, offset));
      }
      inlet.flush();
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
  void closesConnectionsThatSpeakSomethingElse(String bytes) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
      socket.getOutputStream().write(bytes.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
      socket.shutdownOutput();
      socket.getInputStream().readAllBytes(); // until it is closed
    }
    assertThat(server.counts().refused()).isEqualTo(1);
    try (RemoteInlet<FlowBlock, Frontier> inlet = open()) {
      run(inlet, 1, 0, 1);
    }
  }

  private RemoteInlet<FlowBlock, Frontier> open(StoreSecret secret) {
    return RemoteInlet.open(
        "127.0.0.1",
        server.address().getPort(),
        secret,
        Store.FLOWS,
        Flows.SCHEMA,
        Flows.LATER,
        PATIENCE);
  }

  private void startAnew(StoreSecret secret) throws IOException {
    stop();
    store = open(directory, StoreConfig.defaults());
    server = new StoreServer(store, StoreServer.anyLocalPort(), secret);
    server.start();
  }

  @Test
  void admitsWhoShowsTheSecret(@TempDir Path elsewhere) throws IOException {
    Path file = elsewhere.resolve(StoreSecret.FILE_NAME);
    StoreSecret secret = StoreSecret.readOrMake(file);
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(StoreSecret.readOrMake(file)).isEqualTo(secret);
    startAnew(secret);
    StoreSecret wrong = StoreSecret.readOrMake(elsewhere.resolve("other"));
    for (StoreSecret shown : List.of(StoreSecret.NONE, wrong)) {
      assertThatThrownBy(() -> open(shown))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("wrong store secret")
          .hasMessageContaining(StoreSecret.FILE_NAME);
    }
    assertThat(server.counts().refused()).isEqualTo(2);
    try (RemoteInlet<FlowBlock, Frontier> inlet = open(StoreSecret.read(file))) {
      run(inlet, 1, 0, 2);
    }
  }

  @Test
  void strangersThatSayNothingKeepNobodyOut() throws IOException {
    startAnew(StoreSecret.readOrMake(directory.resolve(StoreSecret.FILE_NAME)));
    List<Socket> strangers = new ArrayList<>();
    try {
      for (int i = 0; i < 150; i++) {
        strangers.add(new Socket(InetAddress.getLoopbackAddress(), server.address().getPort()));
      }
      try (RemoteInlet<FlowBlock, Frontier> inlet = open(server.secret())) {
        run(inlet, 1, 0, 2);
        assertThat(server.counts().open()).isLessThanOrEqualTo(65);
      }
      assertThat(strangers.get(0).getInputStream().read()).isEqualTo(-1);
    } finally {
      for (Socket stranger : strangers) {
        stranger.close();
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
    assertThat(BlockCodec.encode(block, bytes)).isGreaterThan(StoreProtocol.MOST_BYTES);
    try (RemoteInlet<FlowBlock, Frontier> inlet = open()) {
      inlet.rewind(1, Frontier.EMPTY);
      inlet.begin(1);
      inlet.append(block);
      inlet.append(Flows.joined(10, 0, 1));
      inlet.flush();
      assertThat(flows().rows()).isEqualTo(rows + 10);
      assertThat(flows().counters().values()).isEqualTo(2);
      assertThat(server.counts().blocks()).isEqualTo(2);
    }
  }

  @Test
  void closesAWriterThatSendsABrokenBlock() throws IOException {
    try (RemoteInlet<FlowBlock, Frontier> good = open();
        StoreConnection bad =
            StoreConnection.open(
                "127.0.0.1", server.address().getPort(), StoreSecret.NONE, PATIENCE)) {
      good.rewind(1, Frontier.EMPTY);
      good.begin(1);
      var body = new io.millrace.wire.block.BlockBuffer(64);
      StoreProtocol.putText(Store.FLOWS, body);
      body.putLong(1);
      StoreProtocol.putSchema(Flows.SCHEMA, body);
      bad.ask(StoreProtocol.OPEN, body);
      body.clear();
      body.putLong(1);
      bad.ask(StoreProtocol.BEGIN, body);
      body.clear();
      body.putLong(0x0102030405060708L);
      bad.send(StoreProtocol.APPEND, body);
      body.clear();
      assertThatThrownBy(() -> bad.ask(StoreProtocol.FLUSH, body))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("family");
      good.append(Flows.joined(10, 0, 0));
      good.flush();
    }
    assertThat(server.counts().refused()).isEqualTo(1);
    assertThat(flows().rows()).isEqualTo(10);
  }
}
