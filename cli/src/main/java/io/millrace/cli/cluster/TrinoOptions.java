package io.millrace.cli.cluster;

import io.millrace.cli.config.FilePaths;
import io.millrace.cli.config.Units;
import io.millrace.cli.console.UsageException;
import io.millrace.cluster.trino.TrinoConfig;
import io.millrace.cluster.trino.TrinoDistribution;
import io.millrace.cluster.trino.TrinoJava;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Options of a cluster's Trino. */
final class TrinoOptions {
  private static final String CATALOG_PATH = "/api/v1/iceberg";

  @Option(
      names = "--trino",
      description =
          "Also start Trino, read-only, on the tables of the instance at --trino-instance, which "
              + "may start later. The first time, Maven downloads Trino (540 MB).")
  private boolean isWanted;

  @Option(
      names = "--trino-workers",
      paramLabel = "N",
      description =
          "Number of workers in addition to the coordinator; 0 by default: the coordinator runs queries.")
  private int workers;

  @Option(
      names = "--trino-memory",
      paramLabel = "SIZE",
      description = "Heap of each Trino process; 2GiB by default.")
  private String memory;

  @Option(
      names = "--trino-time-limit",
      paramLabel = "TIME",
      description = "Time limit of a Trino query; 5m by default.")
  private String timeLimit;

  @Option(
      names = "--trino-java",
      paramLabel = "DIR",
      description =
          "JDK for Trino, version 24 or later; by default the first found in JAVA_HOME, PATH and "
              + "/usr/lib/jvm.")
  private String java;

  @Option(
      names = "--trino-home",
      paramLabel = "DIR",
      description =
          "Directory of an unpacked Trino with lib and plugin/iceberg, instead of the downloaded one.")
  private String home;

  @Option(
      names = "--trino-instance",
      paramLabel = "URL",
      defaultValue = "${env:MILLRACE_URL:-http://127.0.0.1:8080}",
      description =
          "URL of the instance whose tables Trino reads; ${DEFAULT-VALUE} by default. Its token is "
              + "read from MILLRACE_TOKEN.")
  private String instance;

  @Option(
      names = "--trino-s3-endpoint",
      paramLabel = "URL",
      description =
          "URL of the S3 server with the tables' files, as store.objects.endpoint; Amazon's by default.")
  private String endpoint;

  @Option(
      names = "--trino-s3-region",
      paramLabel = "REGION",
      defaultValue = "us-east-1",
      description = "Region of the bucket; ${DEFAULT-VALUE} by default.")
  private String region;

  /**
   * Settings of Trino; empty without {@code --trino}.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  Optional<TrinoConfig> config(Path directory, PrintWriter progress) throws IOException {
    if (!isWanted) {
      requireNoneOfTrino();
      return Optional.empty();
    }
    long heap = memory == null ? TrinoConfig.DEFAULT_HEAP : size();
    Duration limit = timeLimit == null ? Duration.ofMinutes(5) : limit();
    String token = System.getenv("MILLRACE_TOKEN");
    Path program;
    try {
      program = TrinoJava.find(java == null ? null : FilePaths.parse(java));
    } catch (IOException e) {
      throw new UsageException(e.getMessage());
    }
    return Optional.of(
        new TrinoConfig(
            distribution(progress),
            program,
            directory,
            catalog(),
            Optional.ofNullable(token).filter(text -> !text.isEmpty()),
            heap,
            workers,
            limit,
            endpoint(),
            region));
  }

  private void requireNoneOfTrino() {
    if (workers != 0
        || Stream.of(memory, timeLimit, java, home, endpoint).anyMatch(Objects::nonNull)) {
      throw new UsageException("Trino options require --trino");
    }
  }

  private TrinoDistribution distribution(PrintWriter progress) {
    if (home != null) {
      return new TrinoDistribution(FilePaths.parse(home));
    }
    Path cache = TrinoDistribution.cache();
    if (!Files.isDirectory(cache)) {
      progress.println("downloading Trino " + TrinoDistribution.VERSION + " to " + cache);
      progress.flush();
    }
    try {
      return TrinoDistribution.fetched(cache);
    } catch (IOException e) {
      throw new UsageException(e.getMessage() + "; or set --trino-home to an unpacked Trino");
    }
  }

  private URI catalog() {
    String base = instance.endsWith("/") ? instance.substring(0, instance.length() - 1) : instance;
    try {
      return new URI(base + CATALOG_PATH);
    } catch (URISyntaxException e) {
      throw new UsageException(
          "--trino-instance: '%s' is invalid, expected http://HOST:PORT".formatted(instance));
    }
  }

  private Optional<URI> endpoint() {
    if (endpoint == null) {
      return Optional.empty();
    }
    try {
      URI uri = new URI(endpoint);
      if (uri.getHost() != null && List.of("http", "https").contains(uri.getScheme())) {
        return Optional.of(uri);
      }
    } catch (URISyntaxException e) {
      // reported below
    }
    throw new UsageException(
        "--trino-s3-endpoint: '%s' is invalid, expected http://HOST:PORT".formatted(endpoint));
  }

  private long size() {
    try {
      return Units.bytes(memory);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--trino-memory: " + e.getMessage());
    }
  }

  private Duration limit() {
    try {
      return Duration.ofNanos(Units.nanos(timeLimit));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--trino-time-limit: " + e.getMessage());
    }
  }
}
