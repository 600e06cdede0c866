package io.millrace.lab.ads;

import io.millrace.lab.profile.Profile;
import io.millrace.lab.rivals.JavaRival;
import io.millrace.lab.rivals.MavenArtifacts;
import io.millrace.lab.rivals.PythonEnvironment;
import io.millrace.lab.rivals.StormRunner;
import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** An engine to compare, which runs in its own process. */
enum AdEngine {
  /** Millrace with an embedded engine. */
  MILLRACE(15) {
    @Override
    ChildProcess start(Path directory, List<String> options, List<String> arguments)
        throws IOException {
      return ours(directory, options, arguments, AdsProcess.Place.HERE);
    }
  },

  /** Millrace on a cluster, with a TaskManager process per subtask. */
  CLUSTER(40) {
    @Override
    ChildProcess start(Path directory, List<String> options, List<String> arguments)
        throws IOException {
      return ours(directory, options, arguments, AdsProcess.Place.CLUSTER);
    }
  },

  /** Flink's DataStream API, as in {@code FlinkAds.java}. */
  FLINK(15) {
    @Override
    ChildProcess start(Path directory, List<String> options, List<String> arguments)
        throws IOException {
      return JavaRival.start(
          directory, "FlinkAds.java", JavaRival.ownClassPath(), options, arguments);
    }
  },

  /** Storm, as in {@code StormAds.java}. */
  STORM(25) {
    @Override
    ChildProcess start(Path directory, List<String> options, List<String> arguments)
        throws IOException {
      return StormRunner.start(directory, "StormAds.java", options, arguments);
    }
  },

  /** Spark Structured Streaming, as in {@code spark_ads.py}. */
  SPARK(35) {
    @Override
    ChildProcess start(Path directory, List<String> options, List<String> arguments)
        throws IOException {
      Files.createDirectories(directory);
      Path python =
          PythonEnvironment.python(
              "spark-" + SPARK_VERSION,
              List.of("pyspark==" + SPARK_VERSION, "redis"),
              directory.resolve("pip.log"));
      String submitted =
          "--driver-memory 2g --driver-java-options \"%s\" pyspark-shell"
              .formatted(sparkOptions(options));
      List<String> command = new ArrayList<>(Profile.environment(directory, "spark"));
      command.addAll(
          List.of(
              "env",
              "PYSPARK_SUBMIT_ARGS=" + submitted,
              python.toString(),
              JavaRival.file(directory, "spark_ads.py").toString()));
      command.addAll(arguments);
      command.add(
          String.join(",", MavenArtifacts.alone("spark-kafka-" + SPARK_VERSION, SPARK_JARS)));
      return ChildProcess.start(directory.resolve("spark_ads.out"), command);
    }
  };

  /** As in the pipeline. */
  private static final Duration CHECKPOINTS = Duration.ofSeconds(5);

  private static final String SPARK_VERSION = "4.1.1";

  /** The Kafka connector and those of its dependencies that pyspark lacks. */
  private static final List<String> SPARK_JARS =
      List.of(
          "org.apache.spark:spark-sql-kafka-0-10_2.13:" + SPARK_VERSION,
          "org.apache.spark:spark-token-provider-kafka-0-10_2.13:" + SPARK_VERSION,
          "org.apache.kafka:kafka-clients:3.9.1",
          "org.apache.commons:commons-pool2:2.12.1");

  private static ChildProcess ours(
      Path directory, List<String> options, List<String> arguments, AdsProcess.Place place)
      throws IOException {
    return JavaRival.java(
        directory,
        AdsProcess.class.getName(),
        JavaRival.ownClassPath(),
        options,
        AdsProcess.arguments(arguments, directory.resolve("data"), CHECKPOINTS, place));
  }

  /** Removes the heap size, for which Spark has its own option. */
  private static String sparkOptions(List<String> options) {
    return options.stream()
        .filter(option -> !option.startsWith("-Xm"))
        .collect(Collectors.joining(" "));
  }

  private final int startSeconds;

  AdEngine(int startSeconds) {
    this.startSeconds = startSeconds;
  }

  /** Approximate time to start and to end, without downloads at first use. */
  Duration start() {
    return Duration.ofSeconds(startSeconds);
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Starts the engine.
   *
   * @param options of its JVM
   * @param arguments KAFKA TOPIC REDIS_HOST REDIS_PORT SUBTASKS WINDOW_MILLIS
   *     WATERMARK_DELAY_MILLIS
   * @throws IOException if it is not available, with the reason
   */
  abstract ChildProcess start(Path directory, List<String> options, List<String> arguments)
      throws IOException;
}
