package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.console.RuntimeOptions;
import io.millrace.pulse.FreePort;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.testing.Await;
import io.millrace.testing.PythonPackages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An instance with its tables in a real object store, which is killed and comes back; then the
 * instance loses its directory. PyIceberg and Trino read the object store.
 */
class ObjectStoreIT {
  private static final String SUMS =
      "count(*), sum(bytes), sum(packets), count(DISTINCT src_addr), count(src_as_name) FROM flows";

  private static final int ROWS = 20_000;

  @TempDir Path directory;
  private ObjectServer objects;
  private Millrace millrace;

  @BeforeEach
  void startServer() throws Exception {
    objects = new ObjectServer(directory);
  }

  @AfterEach
  void stop() {
    if (millrace != null) {
      millrace.close();
    }
    if (objects != null) {
      objects.close();
    }
  }

  private void start(String data) throws IOException {
    MillraceConfig defaults = MillraceConfig.defaults();
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    millrace =
        new Millrace(
            RuntimeOptions.withBundledDatasets(
                defaults
                    .withData(directory.resolve(data))
                    .withSection(defaults.http().withPort(0))
                    .withSection(defaults.store().withObjects(objects.config()))
                    .withSection(defaults.flight().withoutListening())
                    .withSection(
                        defaults.collector().withListen(loopback).withReceiveBufferBytes(4 << 20)),
                directory.resolve("datasets")));
    millrace.start();
  }

  private String row(String sql) {
    try (QueryResult result =
        millrace.store().query(new QueryRequest(sql, Duration.ofMinutes(1), 10))) {
      return TrinoProcess.texts(result).get(0);
    }
  }

  private void send() {
    String flows = directory.resolve("flows.pcap").toString();
    if (!Files.exists(Path.of(flows))) {
      DocumentedCommandsIT.run(
          List.of("generate", "flows", flows, "--rate", "" + ROWS, "--seconds", "1"));
    }
    DocumentedCommandsIT.run(List.of("send", flows, "--to", "127.0.0.1:" + millrace.udpPort()));
    assertThat(millrace.awaitDrained(Duration.ofMinutes(1))).isTrue();
  }

  private void awaitCommitted() {
    Await.until(
        "all rows to be committed",
        () ->
            row("SELECT count(*) FROM flows_committed").equals(row("SELECT count(*) FROM flows")));
  }

  @Test
  void noRowIsLostOrDoubled() throws Exception {
    start("data");
    send();
    awaitCommitted();
    String first = row("SELECT count(*) FROM flows");
    objects.kill();
    send();
    long all = 2 * Long.parseLong(first);
    assertThat(row("SELECT count(*) FROM flows"))
        .as("rows are visible without the object store")
        .isEqualTo("" + all);
    assertThat(row("SELECT count(*) FROM flows_committed")).isEqualTo(first);
    objects.start();
    awaitCommitted();
    String sums = row("SELECT " + SUMS);
    assertThat(sums).startsWith(all + "|");
    clientsFind(sums);
    millrace.close();
    start("empty");
    assertThat(row("SELECT " + SUMS)).isEqualTo(sums);
    assertThat(row("SELECT count(DISTINCT src_as_name) FROM flows")).isNotEqualTo("0");
    send();
    awaitCommitted();
    assertThat(row("SELECT count(*) FROM flows")).isEqualTo("" + (all + all / 2));
  }

  /** None while the coordinator has not noticed that it may run queries itself. */
  private static List<String> rows(TrinoProcess trino) {
    try {
      return trino.rows("SELECT " + SUMS);
    } catch (QueryException e) {
      assertThat(e).hasMessageContaining("No nodes available");
      return List.of();
    }
  }

  private void clientsFind(String sums) throws Exception {
    String python = PythonPackages.install("iceberg", "pyiceberg[pyarrow,duckdb]");
    Path script = directory.resolve("read.py");
    Files.write(
        script,
        List.of(
            "from pyiceberg.catalog import load_catalog",
            "catalog = load_catalog('lake', **{'type': 'rest', 'uri': '%s/api/v1/iceberg'%s})"
                .formatted(millrace.url(), ObjectServer.pythonOptions()),
            "flows = catalog.load_table('millrace.flows')",
            "con = flows.scan().to_duckdb('flows')",
            "print('|'.join(str(v) for v in con.sql('SELECT " + SUMS + "').fetchall()[0]))"));
    Path output = directory.resolve("read.out");
    assertThat(PythonPackages.succeeds(output, List.of(python, script.toString())))
        .as(Files.readString(output))
        .isTrue();
    assertThat(Files.readString(output).strip()).isEqualTo(sums);
    try (TrinoProcess trino =
        TrinoProcess.start(
            Files.createDirectory(directory.resolve("trino")),
            FreePort.any(),
            millrace.url(),
            List.of(),
            Optional.of(URI.create(objects.endpoint())))) {
      Await.until("Trino to find the rows", () -> rows(trino).equals(List.of(sums)));
    }
  }
}
