package io.millrace.lab.rivals;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runner of Apache Storm on this machine: a local cluster, which runs all executors and their
 * communication in one separate JVM. Maven downloads its artifacts at first use.
 *
 * <p>A topology is a Java file without package among the resources of this package. Its {@code
 * main} creates an {@code org.apache.storm.LocalCluster}, submits the topology and waits until the
 * process ends, as in {@code StormAds.java}. The class path has Storm with its Kafka client,
 * Jackson and Jedis. Closing the process ends it:
 *
 * <pre>{@code
 * try (ChildProcess storm =
 *     StormRunner.start(directory, "StormPackets.java", List.of("-Xmx1g"), List.of(file))) {
 *   storm.awaitEnd(Duration.ofSeconds(60));
 *   String said = storm.output(); // output of its main
 * }
 * }</pre>
 */
public final class StormRunner {
  private static final List<String> ARTIFACTS =
      List.of(
          "org.apache.storm:storm-server:2.8.2",
          "org.apache.storm:storm-kafka-client:2.8.2",
          "org.apache.kafka:kafka-clients:3.9.1",
          "com.fasterxml.jackson.core:jackson-databind:2.19.0",
          "org.slf4j:slf4j-api:2.0.17", // for Storm's logging; Kafka's client asks for an older one
          "redis.clients:jedis:6.2.0");

  private StormRunner() {}

  /** Returns the class path of a topology; downloads missing artifacts. */
  public static String classPath() throws IOException {
    return MavenArtifacts.classPath("storm-2.8.2", ARTIFACTS);
  }

  /**
   * Starts a topology.
   *
   * @param directory for its source, classes and output
   * @param source name of the resource
   * @param options JVM options
   * @throws IOException if Storm cannot be downloaded or the source does not compile; with the
   *     reason
   */
  public static ChildProcess start(
      Path directory, String source, List<String> options, List<String> arguments)
      throws IOException {
    List<String> all = new ArrayList<>(options);
    all.add("-Dorg.apache.logging.log4j.level=ERROR");
    return JavaRival.start(directory, source, classPath(), all, arguments);
  }
}
