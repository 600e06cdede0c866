package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.HttpServer;
import io.millrace.server.api.ParquetEndpoint;
import io.millrace.server.api.SqlEndpoint;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowWriter;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports rows of one instance and imports them into another. */
class ExportImportIT {
  private static final Instant START = Instant.parse("2026-11-20T22:30:00Z");
  private static final int HOURS = 4;
  private static final int ROWS = 50;

  @TempDir Path directory;

  private DuckDbStore origin;
  private DuckDbStore other;
  private HttpServer originServer;
  private HttpServer otherServer;

  @BeforeEach
  void start() throws IOException {
    origin = store("origin");
    other = store("other");
    originServer = serve(origin);
    otherServer = serve(other);
    try (FlowWriter writer = origin.table(Store.FLOWS, new FlowSchema(List.of())).writer()) {
      for (int hour = 0; hour < HOURS; hour++) {
        writer.append(block(hour));
      }
      writer.flush();
    }
  }

  private DuckDbStore store(String name) {
    DuckDbStore store =
        new DuckDbStore(directory.resolve(name), StoreConfig.defaults(), RollupConfig.NONE);
    store.table(Store.FLOWS, new FlowSchema(List.of()));
    return store;
  }

  private static HttpServer serve(Store store) throws IOException {
    ParquetEndpoint parquet = new ParquetEndpoint(store);
    HttpServer server =
        new HttpServer(new HttpConfig("127.0.0.1", 0, 2_048))
            .route("POST", "/api/v1/sql", new SqlEndpoint(store, StoreConfig.defaults()))
            .route("GET", "/api/v1/export", parquet::export)
            .route("POST", "/api/v1/import", parquet::add);
    server.start();
    return server;
  }

  @AfterEach
  void stop() {
    originServer.close();
    otherServer.close();
    origin.close();
    other.close();
  }

  private static FlowBlock block(int hour) {
    FlowBlock block = new FlowBlock(ROWS);
    block.logPosition(0, hour);
    for (FlowColumn column : FlowColumn.ALL) {
      if (column.optional()) {
        continue;
      }
      if (column.type().isInt()) {
        Arrays.fill(block.ints(column), FlowBlock.NULL);
      } else if (column.type().isLong()) {
        Arrays.fill(block.longs(column), FlowBlock.NULL);
      } else {
        Arrays.fill(block.addressHigh(column), 0x2001_0DB8L << 32);
        Arrays.fill(block.addressLow(column), 1);
      }
    }
    for (int i = 0; i < ROWS; i++) {
      block.longs(FlowColumn.TIME)[i] =
          (START.toEpochMilli() + 3_600_000L * hour + i * 1_000L) * 1_000;
      block.addressHigh(FlowColumn.SRC_ADDR)[i] = 0;
      block.addressLow(FlowColumn.SRC_ADDR)[i] = Addresses.v4Low(0xC000_0200 + i);
      block.longs(FlowColumn.BYTES)[i] = 100L + i;
      block.logIndex()[i] = i;
    }
    block.rows(ROWS);
    return block;
  }

  private CommandLineRun export(String... more) {
    String[] arguments = {
      "export",
      "--url",
      originServer.url(),
      "--from",
      "2026-11-20",
      "--to",
      "2026-11-22",
      "-o",
      files().toString()
    };
    return CommandLineRun.of(
        Stream.concat(Arrays.stream(arguments), Arrays.stream(more)).toArray(String[]::new));
  }

  private Path files() {
    return directory.resolve("files");
  }

  private List<String> written() throws IOException {
    try (Stream<Path> all = Files.walk(files())) {
      return all.filter(Files::isRegularFile)
          .map(file -> files().relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void aDirectoryADay() throws IOException {
    CommandLineRun run = export();
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).isEqualTo("200 rows in 2 files of 2 days\n");
    assertThat(written())
        .containsExactly(
            "day=2026-11-20/flows-20261120T220000Z.parquet",
            "day=2026-11-21/flows-20261121T000000Z.parquet");
  }

  @Test
  void filesAreNotOverwrittenSilently() throws IOException {
    export();
    CommandLineRun again = export();
    assertThat(again.status()).isEqualTo(1);
    assertThat(again.err())
        .isEqualTo(
            "millrace: "
                + files().resolve("day=2026-11-20")
                + " has files already; choose another directory, or replace them with"
                + " --overwrite\n");
    assertThat(export("--overwrite").status()).isZero();
    assertThat(written()).hasSize(2);
  }

  @Test
  void anImportHasTheSameRowsOnce() {
    export();
    String[] add = {"import", files().toString(), "--url", otherServer.url()};
    assertThat(CommandLineRun.of(add).out())
        .isEqualTo("200 rows from 2 files into flows; 0 were stored already\n");
    assertThat(CommandLineRun.of(add).out())
        .isEqualTo("0 rows from 2 files into flows; 200 were stored already\n");
    String all = "SELECT * EXCLUDE (log_partition) FROM flows ORDER BY log_offset, log_index";
    assertThat(sql(otherServer, all)).isEqualTo(sql(originServer, all));
  }

  @Test
  void pluralsFollowTheNumber() {
    String[] oneDay = {
      "export",
      "--url",
      originServer.url(),
      "--from",
      "2026-11-21",
      "--to",
      "2026-11-22",
      "-o",
      files().toString()
    };
    assertThat(CommandLineRun.of(oneDay).out()).endsWith(" in 1 file of 1 day\n");
    assertThat(CommandLineRun.of("import", files().toString(), "--url", otherServer.url()).out())
        .contains(" from 1 file into flows; ");
  }

  private static String sql(HttpServer server, String query) {
    return CommandLineRun.of("sql", query, "--url", server.url(), "--format", "csv").out();
  }

  @Test
  void anExportWithoutRowsCreatesAnEmptyDirectory() {
    String[] quiet = {"--from", "2020-01-01", "--to", "2020-01-02", "-o", files().toString()};
    CommandLineRun run =
        CommandLineRun.of(
            Stream.concat(Stream.of("export", "--url", originServer.url()), Arrays.stream(quiet))
                .toArray(String[]::new));
    assertThat(run.out()).isEqualTo("0 rows in 0 files of 0 days\n");
    assertThat(CommandLineRun.of("import", files().toString(), "--url", otherServer.url()).err())
        .isEqualTo("millrace: " + files() + " contains no files\n");
  }

  @Test
  void anUnknownTableIsReported() {
    CommandLineRun run = export("--table", "flow");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("millrace: ").contains("flow").hasLineCount(1);
  }

  @Test
  void noFilesToImportIsReported() {
    CommandLineRun run =
        CommandLineRun.of("import", directory.toString() + "/nowhere", "--url", otherServer.url());
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("millrace: " + directory + "/nowhere: no such file\n");
  }
}
