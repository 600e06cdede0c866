package io.millrace.server.runtime;

import java.nio.file.Path;

/** A {@link KilledInstance} with both Kafka endpoints, on a Kafka that outlives it. */
final class KilledEndpoints {
  private KilledEndpoints() {}

  /** Arguments: data directory, bootstrap servers. */
  public static void main(String[] arguments) throws Exception {
    KilledInstance.run(KafkaClients.open(Instances.config(Path.of(arguments[0])), arguments[1]));
  }
}
