package io.millrace.engine.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;

/** A Kafka broker in a separate JVM: its directory, options and availability. */
public final class StandaloneBroker {
  /** Main class; its one argument is the options file. */
  public static final String MAIN = "kafka.Kafka";

  private StandaloneBroker() {}

  /** An id for a new cluster, shared by all its nodes. */
  public static String newClusterId() {
    return Uuid.randomUuid().toString();
  }

  /**
   * Formats the node's directory, if necessary, and writes its options.
   *
   * @param home working directory of the process: paths in the options are relative to it, since
   *     some characters of a path are special in a list or an options file
   * @param directory of the node's data, below {@code home}
   * @param options file to write
   * @param self the node
   * @param all nodes of the cluster, including {@code self}
   * @throws LogException if the directory cannot be formatted or the file cannot be written
   */
  public static void prepare(
      Path home,
      Path directory,
      Path options,
      BrokerNode self,
      List<BrokerNode> all,
      String clusterId) {
    try {
      BrokerSettings.format(directory, self.id(), clusterId);
      Map<String, String> settings = BrokerSettings.of(self, all);
      settings.put(BrokerSettings.DATA, home.relativize(directory).toString());
      Files.write(
          options,
          settings.entrySet().stream()
              .map(option -> option.getKey() + "=" + option.getValue().replace("\\", "\\\\"))
              .sorted()
              .toList());
    } catch (IOException e) {
      throw new LogException("cannot write " + options + ": " + e.getMessage(), e);
    } catch (Exception e) {
      throw new LogException(
          "cannot format the broker's directory " + directory + ": " + e.getMessage(), e);
    }
  }

  /**
   * Ids of the registered brokers; empty if none responds.
   *
   * @param timeout longest wait for a response
   */
  public static Set<Integer> present(String bootstrapServers, Duration timeout) {
    try (Admin admin = LogClients.admin(bootstrapServers)) {
      return admin.describeCluster().nodes().get(timeout.toMillis(), TimeUnit.MILLISECONDS).stream()
          .map(Node::id)
          .collect(Collectors.toSet());
    } catch (ExecutionException | TimeoutException e) {
      return Set.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Set.of();
    }
  }
}
