package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.DataVersion;
import io.millrace.pulse.PrivateFiles;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.HttpServer;
import io.millrace.server.backup.BackupEndpoint;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of an instance's store, and stores restored from them. */
class BackupCommandsIT {
  private static final int ROWS = 100;

  @TempDir Path directory;

  private DuckDbStore store;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    store = open(directory.resolve("data/store"));
    store.table(Store.FLOWS, new FlowSchema(List.of())).rewind(Frontier.EMPTY);
    append(0);
    BackupEndpoint backup =
        new BackupEndpoint(
            () -> {
              Path folder = store.backUp();
              Files.writeString(folder.resolve("ledger"), "counts");
              DataVersion.CURRENT.write(folder);
              return folder;
            },
            store);
    server =
        new HttpServer(new HttpConfig("127.0.0.1", 0, 2_048))
            .route("POST", "/api/v1/backup", backup::make)
            .route("DELETE", "/api/v1/backup", backup::drop);
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
    store.close();
  }

  private static DuckDbStore open(Path path) {
    return new DuckDbStore(path, StoreConfig.defaults(), RollupConfig.NONE);
  }

  private void append(long offset) {
    FlowTable table = store.table(Store.FLOWS, new FlowSchema(List.of()));
    FlowBlock block = new FlowBlock(ROWS);
    block.logPosition(0, offset);
    for (FlowColumn column : FlowColumn.ALL) {
      if (!column.optional() && column.type().isInt()) {
        Arrays.fill(block.ints(column), FlowBlock.NULL);
      } else if (!column.optional() && column.type().isLong()) {
        Arrays.fill(block.longs(column), FlowBlock.NULL);
      }
    }
    Arrays.fill(block.longs(FlowColumn.TIME), 1_795_000_000_000_000L + offset);
    Arrays.fill(block.longs(FlowColumn.BYTES), 10);
    for (int i = 0; i < ROWS; i++) {
      block.logIndex()[i] = i;
    }
    block.rows(ROWS);
    try (FlowWriter writer = table.writer()) {
      writer.append(block);
      Frontier covered = new Frontier(Map.of(0, offset + 1));
      writer.seal(offset + 1, covered);
      writer.sync();
      writer.commit(offset + 1, covered);
    }
  }

  private CommandLineRun backup(String name, String... more) {
    return CommandLineRun.of(
        Stream.concat(
                Stream.of("backup", directory.resolve(name).toString(), "--url", server.url()),
                Arrays.stream(more))
            .toArray(String[]::new));
  }

  private CommandLineRun restore(String name, String data) {
    return CommandLineRun.of(
        "restore",
        directory.resolve(name).toString(),
        "--data",
        directory.resolve(data).toString());
  }

  private long restoredRows(String data) {
    try (DuckDbStore restored = open(directory.resolve(data).resolve("store"))) {
      return restored.table(Store.FLOWS, new FlowSchema(List.of())).rows();
    }
  }

  @Test
  void aRestoredStoreHasTheRowsOfItsBackup() throws IOException {
    CommandLineRun monday = backup("monday");
    assertThat(monday.err()).isEmpty();
    assertThat(monday.out()).matches("[0-9]+ files, .*B, in .*monday\n");
    append(1);
    CommandLineRun tuesday =
        backup("tuesday", "--previous", directory.resolve("monday").toString());
    assertThat(tuesday.out()).contains(" of it linked to ");
    assertThat(directory.resolve("data/store/backup")).doesNotExist();
    for (String name : List.of("monday", "tuesday")) {
      CommandLineRun restored = restore(name, "of-" + name);
      assertThat(restored.err()).isEmpty();
      assertThat(restored.status()).isZero();
      assertThat(PrivateFiles.isOpen(directory.resolve(name))).isFalse();
      assertThat(PrivateFiles.isOpen(directory.resolve("of-" + name))).isFalse();
    }
    assertThat(directory.resolve("of-monday/ledger")).hasContent("counts");
    assertThat(directory.resolve("of-monday/store/ledger")).doesNotExist();
    assertThat(DataVersion.read(directory.resolve("of-monday"))).contains(DataVersion.CURRENT);
    assertThat(directory.resolve("of-monday/store/version")).doesNotExist();
    assertThat(restoredRows("of-monday")).isEqualTo(ROWS);
    assertThat(restoredRows("of-tuesday")).isEqualTo(2 * ROWS);
  }

  @Test
  void nothingIsOverwritten() throws IOException {
    assertThat(backup("once").status()).isZero();
    CommandLineRun again = backup("once");
    assertThat(again.status()).isNotZero();
    assertThat(again.err()).contains("is not empty; choose a new directory");
    CommandLineRun over = restore("once", "data");
    assertThat(over.status()).isNotZero();
    assertThat(over.err()).contains("has a store; stop the instance and move the store away");
  }

  @Test
  void aDamagedFileIsNamedAndNothingIsRestored() throws IOException {
    assertThat(backup("damaged").status()).isZero();
    Path file;
    try (Stream<Path> all = Files.walk(directory.resolve("damaged"))) {
      file = all.filter(path -> path.toString().endsWith(".parquet")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.delete(file);
    Files.write(file, bytes);
    CommandLineRun restored = restore("damaged", "other");
    assertThat(restored.status()).isNotZero();
    assertThat(restored.err()).contains(file.getFileName() + " is damaged");
    assertThat(directory.resolve("other/store")).doesNotExist();
    assertThat(restore("damaged/tables", "other").err()).contains("is not a backup");
  }

  @Test
  void aBackupOfALaterReleaseIsRejectedInOneLine() throws IOException {
    assertThat(backup("later").status()).isZero();
    Path list = directory.resolve("later/backup.json");
    String text = Files.readString(list);
    DataVersion own = DataVersion.CURRENT;
    Files.writeString(
        list,
        text.replace("\"" + own.release() + "\"", "\"99.0.0\"")
            .replace("\"format\" : " + own.format(), "\"format\" : " + (own.format() + 1)));
    CommandLineRun refused = restore("later", "new");
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err())
        .isEqualTo(
            "millrace: %s was made by Millrace 99.0.0 (format %d), this is Millrace %s (format %d): use Millrace 99.0.0 or later, or another backup%n"
                .formatted(
                    directory.resolve("later"), own.format() + 1, own.release(), own.format()));
    assertThat(directory.resolve("new")).doesNotExist();
  }

  @Test
  void aBackupIsNotRestoredIntoTheDirectoryOfALaterRelease() throws IOException {
    assertThat(backup("own").status()).isZero();
    Path data = Files.createDirectory(directory.resolve("log-of-later"));
    DataVersion later = new DataVersion("99.0.0", DataVersion.FORMAT + 1);
    later.write(data);
    CommandLineRun refused = restore("own", "log-of-later");
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains("restore a backup into another --data").hasLineCount(1);
    assertThat(data.toFile().list()).containsExactly("version");
    Files.delete(data.resolve("version"));
    new DataVersion("0.0.1", DataVersion.FORMAT).write(data);
    assertThat(restore("own", "log-of-later").status()).isZero();
    assertThat(DataVersion.read(data)).contains(new DataVersion("0.0.1", DataVersion.FORMAT));
  }

  @Test
  void aFailedBackupLeavesNoDirectory() {
    String url = server.url();
    server.close();
    CommandLineRun failed =
        CommandLineRun.of("backup", directory.resolve("none").toString(), "--url", url);
    assertThat(failed.status()).isNotZero();
    assertThat(failed.err()).contains("no connection to");
    assertThat(directory.resolve("none")).doesNotExist();
  }
}
