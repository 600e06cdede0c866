package io.millrace.cli.console;

import io.millrace.analytics.hitters.HitterSettings;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.cli.config.ConfigFile;
import io.millrace.datasets.keyvalue.KeyValueBuilder;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flowtrends.FlowTrendsConfig;
import io.millrace.pipelines.flowtrends.FlowTrendsPipeline;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersConfigBuilder;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pipelines.trends.ModelConfig;
import io.millrace.pipelines.trends.TrendSteps;
import io.millrace.pulse.PrivateFiles;
import io.millrace.server.runtime.DataDirectory;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.traffic.DemoData;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of commands that run an instance, and the resulting configuration. */
public final class RuntimeOptions {
  private static final Duration DEMO_WINDOW = Duration.ofSeconds(5);
  private static final String NAMES = "names.mrd"; // the bundled reverse names

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration; the defaults if omitted (see millrace config).")
  private Path file;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Data directory: log, store and checkpoints.")
  private Path data;

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT,…",
      description = "Bootstrap servers of an existing Kafka, instead of the embedded one.")
  private String kafka;

  @Option(
      names = "--http",
      paramLabel = "PORT",
      description = "Port of the API and the dashboard; 0 for a free one.")
  private Integer http;

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description = "Directory of jars with custom pipelines; see docs/analyzers.md.")
  private Path plugins;

  /** The configuration file, overridden by the options. */
  public MillraceConfig config() {
    MillraceConfig config = ConfigFile.read(file, plugins);
    if (data != null) {
      config = config.withData(data);
    }
    if (kafka != null) {
      config = config.withSection(config.log().withKafka(kafka));
    }
    if (http != null) {
      try {
        config = config.withSection(config.http().withPort(http));
      } catch (IllegalArgumentException e) {
        throw new UsageException(e.getMessage() + " (--http)");
      }
    }
    return config;
  }

  /** Whether the user set the data directory. */
  public boolean namesData() {
    return data != null || file != null;
  }

  /**
   * Configuration of a demo. Free ports are used unless set, to avoid conflicts with a running
   * instance.
   *
   * @param scratch temporary data directory, or null for the directory in the options
   * @param asn AS tables to join with; if empty, the configured ones or else the bundled one
   */
  public MillraceConfig demoConfig(Path scratch, List<Path> asn) throws IOException {
    MillraceConfig config = config();
    if (scratch != null) {
      config = config.withData(scratch);
    }
    DataDirectory.checkVersion(config.data()); // before bundled data sets are written into it
    if (file == null) {
      config =
          config.withSection(
              config
                  .collector()
                  .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    }
    if (file == null) {
      config = config.with(heavy()).with(rising());
    }
    if (http == null && file == null && !isFree(config.http().port())) {
      config = config.withSection(config.http().withPort(0));
    }
    if (file == null && !isFree(config.flight().port())) {
      config = config.withSection(config.flight().withPort(0));
    }
    if (!asn.isEmpty()) {
      Map<String, DatasetDeclaration> datasets = new LinkedHashMap<>(config.datasets());
      List<String> files = asn.stream().map(Path::toString).toList();
      datasets.put("asn", DatasetDeclaration.ofLenient(files));
      config = config.withDatasets(datasets);
    }
    Path bundled = config.data().resolve("datasets");
    config = withBundledDatasets(config, bundled);
    return file == null ? withInterfaces(config, bundled) : config;
  }

  private static MillraceConfig withInterfaces(MillraceConfig config, Path into)
      throws IOException {
    Path interfaces = into.resolve("interfaces.csv");
    DemoData.writeInterfaces(interfaces);
    Map<String, DatasetDeclaration> datasets = new LinkedHashMap<>(config.datasets());
    datasets.put("interfaces", DatasetDeclaration.of(interfaces.toString()));
    Map<String, List<String>> sums =
        Map.of("boundaries", List.of("in_if_boundary", "out_if_boundary"));
    return config.withDatasets(datasets).withSection(config.rollups().withSets(sums));
  }

  /**
   * Detects the destination with the most bytes, in epochs short enough for a demo of half a
   * minute.
   */
  static HittersPipeline heavy() {
    return new HittersPipeline(
        HittersConfigBuilder.builder(HittersConfig.defaults())
            .enabled(true)
            .keys(List.of("destination"))
            .epoch(DEMO_WINDOW)
            .threshold("top 1")
            .memoryBytes(HitterSettings.MIN_MEMORY)
            .parallel(HittersConfig.Parallel.KEYED)
            .build());
  }

  static FlowTrendsPipeline rising() {
    TrendSettings settings = TrendSettings.defaults().withBucket(DEMO_WINDOW).withBuckets(2);
    return new FlowTrendsPipeline(
        FlowTrendsConfig.defaults()
            .running(List.of("destination"), TrendSteps.Way.STATEFUL, ModelConfig.of(settings)));
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return probe.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Adds the bundled AS table and reverse DNS names unless the configuration declares such data
   * sets. Only for generated traffic: for addresses of a real network they would be wrong.
   *
   * @param into directory into which the bundled data sets are unpacked
   */
  public static MillraceConfig withBundledDatasets(MillraceConfig config, Path into)
      throws IOException {
    if (!config.datasets().containsKey("asn") || !config.datasets().containsKey("rdns")) {
      PrivateFiles.createDirectories(into.toAbsolutePath().getParent());
      Files.createDirectories(into);
      DemoData.write(into);
      new KeyValueBuilder(into.resolve(NAMES), DatasetDeclaration.rdnsColumns())
          .build(List.of(into.resolve("names.csv")));
    }
    Map<String, DatasetDeclaration> bundled = new LinkedHashMap<>();
    bundled.put("asn", DatasetDeclaration.of(into.resolve("networks.csv").toString()));
    bundled.put("rdns", DatasetDeclaration.of(into.resolve(NAMES).toString()));
    return withDefaults(config, bundled);
  }

  /** Uses AS numbers as reported by exporters if the configuration declares no AS table. */
  public static MillraceConfig withAsOfExporters(MillraceConfig config) {
    return withDefaults(config, Map.of("asn", DatasetDeclaration.ofExporters()));
  }

  private static MillraceConfig withDefaults(
      MillraceConfig config, Map<String, DatasetDeclaration> defaults) {
    Map<String, DatasetDeclaration> datasets = new LinkedHashMap<>(defaults);
    datasets.putAll(config.datasets());
    return config.withDatasets(datasets);
  }
}
