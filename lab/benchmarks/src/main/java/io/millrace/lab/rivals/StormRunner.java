package io.millrace.lab.rivals;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Apache Storm on this machine: a local cluster, which runs all executors and what they tell each
 * other in another JVM. Its artifacts are fetched with Maven at first use.
 *
 * <p>Another topology is a Java file among the resources of this package, without a package
 * statement, whose {@code main} makes an {@code org.apache.storm.LocalCluster}, submits its
 * topology to it and waits until it is ended. {@code StormAds.java} is one. On its class path are
 * Storm with its Kafka client, Jackson and Jedis. It is run so, and ended by closing the process:
 *
 * <pre>{@code
 * try (ChildProcess storm =
 *     StormRunner.start(directory, "StormPackets.java", List.of("-Xmx1g"), List.of(file))) {
 *   storm.awaitEnd(Duration.ofSeconds(60));
 *   String said = storm.output(); // what its main printed
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
          "org.slf4j:slf4j-api:2.0.17", // as its logging wants; Kafka's client asks for an older
          // one
          "redis.clients:jedis:6.2.0");

  private StormRunner() {}

  /** Class path of a topology; fetches what is missing. */
  public static String classPath() throws IOException {
    return MavenArtifacts.classPath("storm-2.8.2", ARTIFACTS);
  }

  /**
   * Starts a topology.
   *
   * @param directory for its source, classes and output
   * @param source name of the resource
   * @param options of its JVM
   * @throws IOException if Storm cannot be had, or the source does not compile: with the reason
   */
  public static ChildProcess start(
      Path directory, String source, List<String> options, List<String> arguments)
      throws IOException {
    List<String> all = new ArrayList<>(options);
    all.add("-Dorg.apache.logging.log4j.level=ERROR");
    return JavaRival.start(directory, source, classPath(), all, arguments);
  }
}
