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

/** The topics of others: where they are, and that they are there. */
public final class KafkaTopics {
  private KafkaTopics() {}

  /** The servers of an endpoint: its own, or those of the log. */
  public static String bootstrap(String own, String ofLog) {
    return own == null ? ofLog : own;
  }

  /** The way out of the job; empty if no topic is named. */
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
   * Makes the topics that are not there, where that is ours to do: those on the log's Kafka, and
   * the one that is written to, unless its Kafka wants to know who we are.
   *
   * @param settings of the log
   * @throws IllegalArgumentException if a column of the messages does not exist
   * @throws io.millrace.engine.log.LogException if a Kafka does not answer
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
