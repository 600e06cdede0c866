package io.millrace.server.runtime;

import java.nio.file.Path;

/** A {@link KilledInstance} with both doors open to a Kafka that outlives it. */
final class KilledDoors {
  private KilledDoors() {}

  /** Arguments: data directory, bootstrap servers. */
  public static void main(String[] arguments) throws Exception {
    KilledInstance.run(KafkaClients.open(Instances.config(Path.of(arguments[0])), arguments[1]));
  }
}
