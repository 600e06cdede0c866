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

/** A Kafka broker in a JVM of its own: its directory, its file of options, and whether it is up. */
public final class StandaloneBroker {
  /** The class to run; its one argument is the file of options. */
  public static final String MAIN = "kafka.Kafka";

  private StandaloneBroker() {}

  /** A name for a new cluster; all of its nodes have the same. */
  public static String newClusterId() {
    return Uuid.randomUuid().toString();
  }

  /**
   * Formats the node's directory, where that is not done yet, and writes its options.
   *
   * @param home directory in which the process is started: paths in its options are relative to it,
   *     since some characters of another directory's name mean something in a list or a file of
   *     options
   * @param directory of the node's data, below {@code home}
   * @param options file to write
   * @param self the node
   * @param all nodes of the cluster, {@code self} among them
   * @throws LogException if the directory cannot be formatted or the file not be written
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
          "cannot make " + directory + " a broker's directory: " + e.getMessage(), e);
    }
  }

  /**
   * Ids of the brokers that the cluster counts as being there; empty while none answers.
   *
   * @param patience longest wait for an answer
   */
  public static Set<Integer> present(String bootstrapServers, Duration patience) {
    try (Admin admin = LogClients.admin(bootstrapServers)) {
      return admin
          .describeCluster()
          .nodes()
          .get(patience.toMillis(), TimeUnit.MILLISECONDS)
          .stream()
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
