package io.millrace.pipelines;

import io.millrace.engine.source.LogSource;
import io.millrace.wire.record.RecordSchema;

/**
 * A stream of records that a pipeline declares. Derived from it, without further code: {@code POST
 * /ingest/NAME} with description, limits and counters, and the topic of the log for its records;
 * or, if configured, the source for an external topic. {@link Run#records} reads either as columns.
 *
 * @param schema of its records; its name is the stream's, and unique
 * @param from the external topic; {@link RecordTopic#NONE} for records over HTTP
 * @param byArrival whether event time in the job is the arrival of the records instead of their own
 *     time; then records with a future time are not dropped
 */
public record RecordStream(RecordSchema schema, RecordTopic from, boolean byArrival) {
  private static final String TOPICS = "millrace.records.";

  /** A stream whose event time is that of its records. */
  public RecordStream(RecordSchema schema, RecordTopic from) {
    this(schema, from, false);
  }

  /** A stream of records over HTTP. */
  public static RecordStream of(RecordSchema schema) {
    return new RecordStream(schema, RecordTopic.NONE);
  }

  /** Its name. */
  public String name() {
    return schema.name();
  }

  /** Whether its records are received over HTTP, and stored in a topic of the log. */
  public boolean isIngested() {
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
    return isIngested()
        ? LogSource.of(logServers, topic())
        : LogSource.ofMessages(bootstrap(logServers), topic(), from.properties());
  }

  /** Name of the step that reads records, in metrics. */
  public String step() {
    return name() + "-records";
  }

  /** Counter of that step: records emitted. */
  public String rowsCounter() {
    return step() + ".rowsOut";
  }

  /** Counter of that step: records dropped because of a time in the future. */
  public String futureCounter() {
    return step() + '.' + RecordDecoding.FUTURE;
  }

  /** Counter of that step: records dropped because too many are waiting for their time. */
  public String crowdedCounter() {
    return step() + '.' + RecordDecoding.CROWDED;
  }

  /** Counter of that step: invalid records, which are dead letters. */
  public String invalidCounter() {
    return step() + '.' + RecordDecoding.INVALID;
  }
}
