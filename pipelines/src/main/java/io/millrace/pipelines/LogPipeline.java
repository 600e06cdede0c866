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
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A pipeline that reads topics of the log, in a job of its own called {@link #name}. */
public interface LogPipeline extends Pipeline {
  /**
   * The topics of the log that it reads; what the values in them are is its own affair and the
   * sender's. Those of its streams, if it says no others.
   */
  default List<String> topics() {
    return streams().stream().filter(RecordStream::isTaken).map(RecordStream::topic).toList();
  }

  /** This pipeline and those that are attached to its job. */
  default List<Pipeline> inJob(SharedParts shared) {
    return Stream.concat(Stream.of(this), shared.attached(name()).stream()).toList();
  }

  /** The streams that its job reads, those of attached pipelines among them. */
  default List<RecordStream> streams(SharedParts shared) {
    return inJob(shared).stream().flatMap(each -> each.streams().stream()).distinct().toList();
  }

  /** The topics of the log that its job reads, those of attached pipelines among them. */
  default List<String> topics(SharedParts shared) {
    return Stream.concat(
            topics().stream(),
            streams(shared).stream().filter(RecordStream::isTaken).map(RecordStream::topic))
        .distinct()
        .toList();
  }

  /**
   * What its tables have of a topic, by {@linkplain io.millrace.wire.block.LogPartition partition
   * number}; empty where their rows have no place in the log.
   *
   * @throws io.millrace.store.StoreException if the store does not answer
   */
  default Frontier stored(String topic, Run run) {
    return Frontier.EMPTY;
  }

  /**
   * The run in the present epochs of its topics, which must exist.
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

  /** That of its first stream, if it says no other. */
  @Override
  default String inCounter() {
    return streams().get(0).rowsCounter();
  }

  /** Records of all its streams, if it has any. */
  @Override
  default long rowsIn(Map<String, Long> counters) {
    return streams().isEmpty()
        ? Pipeline.super.rowsIn(counters)
        : Pipeline.sum(
            counters, streams().stream().map(RecordStream::rowsCounter).toArray(String[]::new));
  }

  /**
   * Subtasks of each step, where the job runs in this process.
   *
   * @param jobSlots {@code job.slots}
   */
  int slots(int jobSlots);

  /**
   * Adds the steps, each with a uid that is never to be changed. What makes a run a replay is in
   * its {@link Run}: a job is built of {@link Run#source}, {@link Run#records}, {@link Run#table},
   * {@link Run#store} and {@link Run#outlet}, and needs to know nothing else of it.
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
   * Makes the topics that its job reads and writes where they are missing, and publishes its
   * tables.
   *
   * @return in which way those that are there differ from the settings, one line each
   * @throws io.millrace.engine.log.LogException if a Kafka does not answer
   * @throws IllegalArgumentException if a file is no table; says which, where and why
   */
  default List<String> ensureTopics(LogCluster log, LogConfig config, SharedParts shared) {
    LogTopics topics = new LogTopics(log, config);
    List<String> differences = new ArrayList<>();
    for (String topic : topics(shared)) {
      topics.ensure(topic).difference().ifPresent(differences::add);
    }
    streams(shared).stream()
        .filter(stream -> !stream.isTaken() && stream.from().bootstrap() == null)
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

  /** The pipelines of its job that give alerts which go anywhere. */
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
   * Finds out whether the store answers, and leaves its tables as they are: a job may run on them.
   *
   * @throws io.millrace.store.StoreException if it does not
   */
  default void checkStore(Run run) {
    openTables(run); // always the same ones: making them leaves those that are there as they are
  }

  /**
   * Makes the tables that its job fills, or adds the columns that they have not yet: so a wrong
   * schema is told once, and not by a job that restarts.
   *
   * @throws io.millrace.store.StoreException if the store does not answer
   * @throws io.millrace.store.WrongSchemaException if a table has a column of another type
   */
  default void openTables(Run run) {
    inJob(run.shared()).forEach(each -> each.tables().forEach(run::open));
  }

  /**
   * Values of the log that were decoded since its job was last started: blocks that came to the
   * steps of its streams, or to that of {@link #inCounter}.
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
