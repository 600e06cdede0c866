package io.millrace.pipelines;

import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.table.TableFile;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.pipelines.alerts.AlertSource;
import io.millrace.store.ResultSpec;
import io.millrace.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One product, as a value: everything that the rest of Millrace has to know of it. A {@link
 * LogPipeline} is a job of its own that reads topics of the log; an {@link AttachedPipeline} adds
 * its steps to such a job, most often a {@link FlowPipeline} to that of joined flows. All end in
 * tables of results.
 *
 * <p>The value holds its settings, a record whose components are the keys of the section {@link
 * #name} of the configuration file; {@code settings.properties} beside the record's class says in a
 * sentence what each key means. From the value follow, without another line of code elsewhere:
 *
 * <ul>
 *   <li>the section of the file, of {@code millrace config} and of the reference page;
 *   <li>its tables, with their retention, in the store and in SQL, and its views;
 *   <li>its job under {@code millrace up}, {@code millrace submit NAME} and {@code millrace replay
 *       --pipeline NAME}, and the topics that this reads;
 *   <li>its part of {@code status}, of what {@code doctor} finds, and of {@code /metrics} with its
 *       reference page;
 *   <li>its line on the dashboard and, from {@code dashboard.js} beside the class of the value, its
 *       section there;
 *   <li>its questions {@code GET /api/v1/NAME/…} and, from {@code openapi.yaml} beside the class of
 *       the value, their description.
 * </ul>
 *
 * <p>Immutable; equal where name and settings are. The steps that a pipeline adds to a job must not
 * keep the value: they travel as bytes, and take of it what they need.
 */
public interface Pipeline {
  /** Those of Millrace with their default settings, in the order of their list of services. */
  static List<Pipeline> all() {
    return ServiceLoader.load(Pipeline.class, Pipeline.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  /**
   * Name of the section of its settings, of its job and its checkpoints, of its questions: for
   * ever. Lower-case letters, digits and underscores.
   */
  String name();

  /** Its settings. */
  Record config();

  /**
   * The same with other settings.
   *
   * @param config of the class of {@link #config}
   */
  Pipeline with(Record config);

  /** Whether it runs, by its settings. */
  default boolean enabled() {
    return true;
  }

  /** Its tables of results. */
  List<ResultSpec> tables();

  /**
   * Streams of records that it reads, by {@link Run#records}: what brings them in follows from what
   * is said here. Others may read the same ones.
   */
  default List<RecordStream> streams() {
    return List.of();
  }

  /** Views of its tables, by name: a SELECT each. */
  default Map<String, String> views() {
    return Map.of();
  }

  /** Name of the job that its steps are part of. */
  default String jobName() {
    return name();
  }

  /** The counter of a step, as {@code step.counter}, that tells what came in: rows. */
  String inCounter();

  /** The steps that store rows: of each table one, if it says no others. */
  default List<String> storeSteps() {
    return tables().stream().map(Pipeline::storeStep).toList();
  }

  /** Name of the step that stores rows in a table, where no other is said. */
  static String storeStep(ResultSpec table) {
    return table.name().replace('_', '-') + "-store";
  }

  /**
   * Rows that came in since its job was last started.
   *
   * @param counters of its job, by {@code step.counter}
   */
  default long rowsIn(Map<String, Long> counters) {
    return sum(counters, inCounter());
  }

  /** Rows that were stored since then. */
  default long rowsStored(Map<String, Long> counters) {
    return storeSteps().stream()
        .mapToLong(step -> sum(counters, step + '.' + RewindableSink.ROWS))
        .sum();
  }

  /** The sum of some counters; one that is not there yet is 0. */
  static long sum(Map<String, Long> counters, String... names) {
    return Arrays.stream(names).mapToLong(name -> counters.getOrDefault(name, 0L)).sum();
  }

  /** What of its work is worth a figure of its own. */
  default List<Figure> figures() {
    return List.of();
  }

  /**
   * What is wrong and what to do, one line each; empty while all is well. That its job fails, or is
   * missing, is found without it.
   *
   * @param counters of its job, by {@code step.counter}; a counter that is not there yet is missing
   */
  default List<String> problems(Map<String, Long> counters) {
    return List.of();
  }

  /** What the API answers for it. */
  default List<Question> questions() {
    return List.of();
  }

  /** What {@code up --print} prints of it; empty for nothing. */
  default Optional<News> news() {
    return Optional.empty();
  }

  /** The topic of the log that gets its results, which is made where it is missing; or none. */
  default Optional<String> resultTopic() {
    return Optional.empty();
  }

  /**
   * Small tables that its steps look up, each with the file that holds it: published when the job
   * starts, and by the process that is {@code up} whenever the file changes.
   *
   * @param bootstrapServers of the log
   */
  default List<TableFile> tableFiles(String bootstrapServers) {
    return List.of();
  }

  /**
   * Where its results are posted to, by the process that is {@code up}: topics that its job fills
   * with a {@link io.millrace.engine.sink.ResultTopic}.
   */
  default List<WebhookConfig> webhooks() {
    return List.of();
  }

  /** The keys that its windows report, of which the new ones are alerts ({@link Run#alert}). */
  default Optional<AlertSource> alerts() {
    return Optional.empty();
  }

  /**
   * Text that is printed while the process runs.
   *
   * @param interval from one look to the next
   * @param of makes, for a store, what tells what has changed since it was asked before; empty for
   *     nothing. It is asked by one thread, and must not throw
   */
  record News(Duration interval, Function<Store, Supplier<String>> of) {}
}
