package io.millrace.pipelines;

import io.millrace.engine.source.LogSource;
import io.millrace.wire.record.RecordSchema;

/**
 * A stream of records that a pipeline declares. From the declaration follow, without another line
 * of code: {@code POST /ingest/NAME} with its description, limits and counters, and the topic of
 * the log in which its records stand; or, where a topic of others is named, the source that reads
 * that; and {@link Run#records}, which brings the records of either into the job as columns.
 *
 * @param schema of its records; its name is that of the stream, and no other stream's
 * @param from the topic of others that holds them; {@link RecordTopic#NONE} if they come over HTTP
 */
public record RecordStream(RecordSchema schema, RecordTopic from) {
  private static final String TOPICS = "millrace.records.";

  /** A stream whose records come over HTTP. */
  public static RecordStream of(RecordSchema schema) {
    return new RecordStream(schema, RecordTopic.NONE);
  }

  /** Its name. */
  public String name() {
    return schema.name();
  }

  /** Whether its records are taken over HTTP, and stand in a topic of the log. */
  public boolean isTaken() {
    return !from.enabled();
  }

  /** The topic that is read. */
  public String topic() {
    return from.enabled() ? from.topic() : TOPICS + name();
  }

  /** Servers of the Kafka that has the topic. */
  public String bootstrap(String logServers) {
    return from.bootstrap() == null ? logServers : from.bootstrap();
  }

  LogSource source(String logServers) {
    return isTaken()
        ? LogSource.of(logServers, topic())
        : LogSource.ofMessages(bootstrap(logServers), topic(), from.properties());
  }

  /** Name of the step that reads records, in metrics. */
  public String step() {
    return name() + "-records";
  }

  /** Counter of that step: records that it gave. */
  public String rowsCounter() {
    return step() + ".rowsOut";
  }

  /** Counter of that step: records that were left out, since they are of a time to come. */
  public String futureCounter() {
    return step() + '.' + RecordDecoding.FUTURE;
  }

  /** Counter of that step: records that were left out, since too many wait for their time. */
  public String crowdedCounter() {
    return step() + '.' + RecordDecoding.CROWDED;
  }

  /** Counter of that step: records that were wrong, and are dead letters. */
  public String wrongCounter() {
    return step() + '.' + RecordDecoding.WRONG;
  }
}
