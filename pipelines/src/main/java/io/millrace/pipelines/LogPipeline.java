package io.millrace.pipelines;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.LogEpochs;
import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogEpoch;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.sink.TopicSink;
import io.millrace.engine.table.TableFile;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A pipeline that reads topics of the log, in a separate job named {@link #name}. */
public interface LogPipeline extends Pipeline {
  /** Topics of the log that it reads; by default those of its streams. */
  default List<String> topics() {
    return streams().stream().filter(RecordStream::isIngested).map(RecordStream::topic).toList();
  }

  /** This pipeline and those attached to its job. */
  default List<Pipeline> inJob(SharedParts shared) {
    return Stream.concat(Stream.of(this), shared.attached(name()).stream()).toList();
  }

  /** The streams that its job reads, including those of attached pipelines. */
  default List<RecordStream> streams(SharedParts shared) {
    return inJob(shared).stream().flatMap(each -> each.streams().stream()).distinct().toList();
  }

  /** The topics of the log that its job reads, including those of attached pipelines. */
  default List<String> topics(SharedParts shared) {
    return Stream.concat(
            topics().stream(),
            streams(shared).stream().filter(RecordStream::isIngested).map(RecordStream::topic))
        .distinct()
        .toList();
  }

  /**
   * End offsets of a topic's values in its tables, by {@linkplain
   * io.millrace.wire.block.LogPartition partition number}; absent if their rows have no position in
   * the log.
   *
   * @throws io.millrace.store.StoreException if the store does not respond
   */
  default Optional<Frontier> stored(String topic, Run run) {
    return Optional.empty();
  }

  /**
   * Returns the run with the current epochs of its topics, which must exist.
   *
   * @param epochs of its job
   */
  default Run in(LogEpochs epochs, Run run) {
    Map<String, LogEpoch> present = new HashMap<>();
    for (String topic : topics(run.shared())) {
      present.put(topic, epochs.of(topic, stored(topic, run)));
    }
    return run.in(present);
  }

  /** By default that of its first stream. */
  @Override
  default String inCounter() {
    return streams().get(0).rowsCounter();
  }

  /** By default the records of all its streams, if it has any. */
  @Override
  default long rowsIn(Map<String, Long> counters) {
    return streams().isEmpty()
        ? Pipeline.super.rowsIn(counters)
        : Pipeline.sum(
            counters, streams().stream().map(RecordStream::rowsCounter).toArray(String[]::new));
  }

  /**
   * Number of subtasks of each step if the job runs in this process.
   *
   * @param jobSlots {@code job.slots}
   */
  int slots(int jobSlots);

  /**
   * Adds the steps, each with a uid that must never change. A job built of {@link Run#source},
   * {@link Run#records}, {@link Run#table}, {@link Run#store} and {@link Run#outlet} can also be
   * replayed.
   */
  void build(StreamExecutionEnvironment job, Run run) throws Exception;

  /** The job, with the steps of attached pipelines. */
  default EmbeddedFlink.JobBuilder job(Run run) {
    return job -> {
      build(job, run);
      for (AttachedPipeline attached : run.shared().attached(name())) {
        attached.addTo(job, run);
      }
    };
  }

  /**
   * Creates the topics that its job reads and writes, if missing, and publishes its tables.
   *
   * @return differences between existing topics and the settings, one line each
   * @throws io.millrace.engine.log.LogException if a Kafka does not respond
   * @throws IllegalArgumentException if a file is invalid; names the file, the place and the reason
   */
  default List<String> ensureTopics(LogCluster log, LogConfig config, SharedParts shared) {
    LogTopics topics = new LogTopics(log, config);
    List<String> differences = new ArrayList<>();
    for (String topic : topics(shared)) {
      topics.ensure(topic).difference().ifPresent(differences::add);
    }
    streams(shared).stream()
        .filter(stream -> !stream.isIngested() && stream.from().bootstrap() == null)
        .forEach(stream -> topics.ensure(stream.topic()));
    DeadLetters.ensure(topics);
    inJob(shared).stream()
        .flatMap(each -> each.resultTopic().stream())
        .forEach(topic -> TopicSink.ensure(topics, topic));
    alerting(shared)
        .forEach(
            each ->
                ResultTopic.ensureShared(
                    topics,
                    shared.alerts().topicName().orElseThrow(),
                    Run.alertsName(each.name())));
    for (Pipeline each : inJob(shared)) {
      for (TableFile table : each.tableFiles(log.bootstrapServers())) {
        table.topic().ensure(topics);
        try {
          var unused = table.publish();
        } catch (IOException e) {
          throw new IllegalArgumentException(each.name() + ": " + e.getMessage(), e);
        }
      }
    }
    return differences;
  }

  /** The pipelines of its job whose alerts are delivered. */
  default List<Pipeline> alerting(SharedParts shared) {
    return inJob(shared).stream()
        .filter(
            each ->
                each.alerts()
                    .filter(source -> !shared.alerts().wanted(source.kinds()).isEmpty())
                    .isPresent())
        .toList();
  }

  /**
   * Checks that the store responds, without changing its tables, which a job may be using.
   *
   * @throws io.millrace.store.StoreException if it does not
   */
  default void checkStore(Run run) {
    openTables(run); // the columns are always the same, so existing tables stay unchanged
  }

  /**
   * Creates the tables that its job fills, or adds missing columns, so that a wrong schema is
   * reported once instead of by a restarting job.
   *
   * @throws io.millrace.store.StoreException if the store does not respond
   * @throws io.millrace.store.WrongSchemaException if a table has a column of another type
   */
  default void openTables(Run run) {
    inJob(run.shared()).forEach(each -> each.tables().forEach(run::open));
  }

  /**
   * Values of the log decoded since its job was last started: blocks received by the steps of its
   * streams, or by that of {@link #inCounter}.
   *
   * @param counters of its job, by {@code step.counter}
   */
  default long valuesIn(Map<String, Long> counters) {
    Stream<String> steps =
        streams().isEmpty()
            ? Stream.of(inCounter().substring(0, inCounter().indexOf('.')))
            : streams().stream().map(RecordStream::step);
    return steps.mapToLong(step -> Pipeline.sum(counters, step + ".blocksIn")).sum();
  }

  /** Names of its tables without those of attached pipelines. */
  default List<String> tableNames() {
    return tables().stream().map(ResultSpec::name).toList();
  }
}
