package io.millrace.pipelines.kafka;

import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.RemoteLog;
import io.millrace.engine.sink.TopicSink;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Locations and creation of external topics. */
public final class KafkaTopics {
  private KafkaTopics() {}

  /** Bootstrap servers of an endpoint: its own, or else those of the log. */
  public static String bootstrap(String own, String ofLog) {
    return own == null ? ofLog : own;
  }

  /** The output of the job; empty if no topic is configured. */
  public static Optional<KafkaOut> out(
      KafkaEndpoints endpoints, Map<String, DatasetDeclaration> datasets, String logServers) {
    KafkaOutConfig out = endpoints.out();
    return out.enabled()
        ? Optional.of(
            new KafkaOut(
                out, bootstrap(out.bootstrap(), logServers), new LinkedHashMap<>(datasets)))
        : Optional.empty();
  }

  /**
   * Creates missing topics on the log's Kafka, and the output topic unless its Kafka requires
   * authentication.
   *
   * @param settings of the log
   * @throws IllegalArgumentException if a column of the messages does not exist
   * @throws io.millrace.engine.log.LogException if a Kafka does not respond
   */
  public static void ensure(
      KafkaEndpoints endpoints,
      Map<String, DatasetDeclaration> datasets,
      LogCluster log,
      LogConfig settings) {
    KafkaOutConfig out = endpoints.out();
    LogTopics topics = new LogTopics(log, settings);
    if (endpoints.in().bootstrap() == null) {
      endpoints.in().topics().forEach(topics::ensure);
    }
    if (!out.enabled()) {
      return;
    }
    KafkaOut.columns(out, datasets);
    if (out.bootstrap() == null) {
      TopicSink.ensure(topics, out.topic());
    } else if (out.properties().isEmpty()) {
      try (RemoteLog other = new RemoteLog(settings.withKafka(out.bootstrap()))) {
        other.start();
        TopicSink.ensure(new LogTopics(other, settings), out.topic());
      }
    }
  }
}
