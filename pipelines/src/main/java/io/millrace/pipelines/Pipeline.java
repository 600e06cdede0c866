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
 * One product as a value, with everything that the rest of Millrace needs to know about it. A
 * {@link LogPipeline} is a separate job that reads topics of the log; an {@link AttachedPipeline}
 * adds its steps to such a job, usually a {@link FlowPipeline} to the job of joined flows. All end
 * in tables of results.
 *
 * <p>The value has its settings, a record whose components are the keys of the section {@link
 * #name} of the configuration file; {@code settings.properties} in the record's package describes
 * each key in a sentence. Derived from the value, without further code:
 *
 * <ul>
 *   <li>the section of the file, of {@code millrace config} and of the reference page;
 *   <li>its tables, with their retention, in the store and in SQL, and its views;
 *   <li>its job under {@code millrace up}, {@code millrace submit NAME} and {@code millrace replay
 *       --pipeline NAME}, and its input topics;
 *   <li>its part of {@code status}, {@code doctor} and {@code /metrics} with its reference page;
 *   <li>its line on the dashboard and, from {@code dashboard.js} in the package of the value, its
 *       section there;
 *   <li>its endpoints {@code GET /api/v1/NAME/…} and, from {@code openapi.yaml} in the package of
 *       the value, their description.
 * </ul>
 *
 * <p>Immutable; equal if names and settings are equal. The steps that a pipeline adds to a job are
 * serialised, so they must copy settings instead of referring to the value.
 */
public interface Pipeline {
  /** Millrace's pipelines with their default settings, in the order of their service list. */
  static List<Pipeline> all() {
    return ServiceLoader.load(Pipeline.class, Pipeline.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  /**
   * Name of its settings section, job, checkpoints and endpoints; must never change. Lower-case
   * letters, digits and underscores.
   */
  String name();

  /** Its settings. */
  Record config();

  /**
   * This pipeline with other settings.
   *
   * @param config of the same class as {@link #config}
   */
  Pipeline with(Record config);

  /** Whether it is enabled by its settings. */
  default boolean enabled() {
    return true;
  }

  /** Its tables of results. */
  List<ResultSpec> tables();

  /**
   * Streams of records that it reads, by {@link Run#records}; the endpoints for them follow from
   * this declaration. Pipelines may share streams.
   */
  default List<RecordStream> streams() {
    return List.of();
  }

  /** Views of its tables: SELECT statements by name. */
  default Map<String, String> views() {
    return Map.of();
  }

  /** Name of the job that its steps are part of. */
  default String jobName() {
    return name();
  }

  /** The counter of input rows, as {@code step.counter}. */
  String inCounter();

  /** The steps that store rows; by default one per table. */
  default List<String> storeSteps() {
    return tables().stream().map(Pipeline::storeStep).toList();
  }

  /** Default name of the step that stores rows in a table. */
  static String storeStep(ResultSpec table) {
    return table.name().replace('_', '-') + "-store";
  }

  /**
   * Input rows since its job was last started.
   *
   * @param counters of its job, by {@code step.counter}
   */
  default long rowsIn(Map<String, Long> counters) {
    return sum(counters, inCounter());
  }

  /** Rows stored since its job was last started. */
  default long rowsStored(Map<String, Long> counters) {
    return storeSteps().stream()
        .mapToLong(step -> sum(counters, step + '.' + RewindableSink.ROWS))
        .sum();
  }

  /** The sum of some counters; a missing one is 0. */
  static long sum(Map<String, Long> counters, String... names) {
    return Arrays.stream(names).mapToLong(name -> counters.getOrDefault(name, 0L)).sum();
  }

  /** Counters that are shown as figures. */
  default List<Figure> figures() {
    return List.of();
  }

  /**
   * Problems with remedies, one line each; empty if there are none. Failed or missing jobs are
   * reported elsewhere.
   *
   * @param counters of its job, by {@code step.counter}; those not registered yet are missing
   */
  default List<String> problems(Map<String, Long> counters) {
    return List.of();
  }

  /** Its API endpoints. */
  default List<ApiEndpoint> endpoints() {
    return List.of();
  }

  /** Text that {@code up --print} prints for it; empty for none. */
  default Optional<News> news() {
    return Optional.empty();
  }

  /** Topic of the log for its results, created if missing; empty for none. */
  default Optional<String> resultTopic() {
    return Optional.empty();
  }

  /**
   * Small lookup tables of its steps, each with its file. Published when the job starts, and by
   * {@code up} whenever the file changes.
   *
   * @param bootstrapServers of the log
   */
  default List<TableFile> tableFiles(String bootstrapServers) {
    return List.of();
  }

  /**
   * Webhooks that {@code up} runs, for topics that its job writes with a {@link
   * io.millrace.engine.sink.ResultTopic}.
   */
  default List<WebhookConfig> webhooks() {
    return List.of();
  }

  /** Source of the keys that its windows report; new keys are alerts ({@link Run#alert}). */
  default Optional<AlertSource> alerts() {
    return Optional.empty();
  }

  /**
   * Text that is printed while the process runs.
   *
   * @param interval between two calls
   * @param of returns, for a store, a supplier of the changes since its last call; empty text for
   *     none. Called by one thread; must not throw
   */
  record News(Duration interval, Function<Store, Supplier<String>> of) {}
}
