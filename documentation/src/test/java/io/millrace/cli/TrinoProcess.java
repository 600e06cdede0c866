package io.millrace.cli;

import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.cluster.trino.TrinoConfig;
import io.millrace.cluster.trino.TrinoDistribution;
import io.millrace.cluster.trino.TrinoJava;
import io.millrace.cluster.trino.TrinoNodes;
import io.millrace.pulse.ChildProcess;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryResult;
import io.millrace.store.trino.TrinoClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A Trino of its own over an instance's catalog; tests are skipped where it cannot be had. */
final class TrinoProcess implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(3);

  /** Limit of a query; on a busy machine, one of 20,000 rows has taken more than 30 s. */
  static final Duration LIMIT = Duration.ofMinutes(5);

  private static final long HEAP = 3L << 29;

  private final ChildProcess process;
  private final TrinoClient client;
  private final String url;

  private TrinoProcess(ChildProcess process, String url) {
    this.process = process;
    this.url = url;
    client =
        new TrinoClient(new io.millrace.store.TrinoConfig(url, "millrace", TrinoNodes.CATALOG));
  }

  /** The catalog of an instance; {@code more} files of other catalogs, by name. */
  static TrinoProcess start(Path directory, int port, String instance, List<CatalogFile> more)
      throws IOException {
    return start(directory, port, instance, more, Optional.empty());
  }

  /**
   * Starts a Trino.
   *
   * @param endpoint of the S3 server with the tables' files
   */
  static TrinoProcess start(
      Path directory, int port, String instance, List<CatalogFile> more, Optional<URI> endpoint)
      throws IOException {
    TrinoConfig config =
        new TrinoConfig(
            distribution(),
            java(),
            directory,
            URI.create(instance + "/api/v1/iceberg"),
            Optional.empty(),
            HEAP,
            0,
            LIMIT,
            endpoint,
            "us-east-1");
    TrinoNodes nodes = new TrinoNodes(config, name -> port);
    TrinoNodes.Node node = nodes.nodes().get(0);
    for (CatalogFile file : more) {
      Files.write(
          directory.resolve(node.name()).resolve("catalog").resolve(file.name() + ".properties"),
          file.lines());
    }
    List<String> command = new ArrayList<>();
    if (endpoint.isPresent()) {
      command.addAll(ObjectServer.environment());
    }
    command.addAll(node.command());
    ChildProcess process = ChildProcess.start(directory.resolve("trino.log"), command);
    process.awaitReady(START, () -> TrinoNodes.isReady(node.address(), 1));
    return new TrinoProcess(process, nodes.url());
  }

  record CatalogFile(String name, List<String> lines) {}

  static Path java() {
    try {
      return TrinoJava.find(null);
    } catch (IOException e) {
      return abort(e.getMessage());
    }
  }

  static TrinoDistribution distribution() {
    try {
      return TrinoDistribution.fetched(TrinoDistribution.cache());
    } catch (IOException e) {
      return abort(e.getMessage());
    }
  }

  String url() {
    return url;
  }

  long pid() {
    return process.pid();
  }

  /** Rows as texts, the values separated by |. */
  List<String> rows(String sql) {
    return rows(client, sql);
  }

  static List<String> rows(TrinoClient client, String sql) {
    try (QueryResult rows = client.query(sql, LIMIT, 100_000, new Cancellation())) {
      return texts(rows);
    }
  }

  static List<String> texts(QueryResult rows) {
    List<String> texts = new ArrayList<>();
    while (rows.next()) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < rows.columns().size(); i++) {
        values.add(String.valueOf(rows.value(i)).replaceFirst("(\\.\\d*?)0+$", "$1"));
      }
      texts.add(String.join("|", values));
    }
    return texts;
  }

  @Override
  public void close() {
    client.close();
    process.close();
  }
}
