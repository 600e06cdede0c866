package io.millrace.pipelines.trends;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.trend.TrendAnalyzer;
import io.millrace.analytics.trend.TrendLayer;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.AnalyzerFactory;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.BlockJob;
import io.millrace.engine.operator.Reductions;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.wire.block.TableBlock;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * The steps from keywords to trends, in one of two ways, with the same results.
 *
 * <pre>
 *   stateful     keywords → (by keyword) → judged
 *   stateless    keywords → parts → (pairs) → layer 1 … → (all) → final
 * </pre>
 *
 * @param name prefix of the names of the steps; must never change
 * @param way division of the work
 * @param layers number of layers of reduction in the stateless way; the last is a single subtask
 */
public record TrendSteps(String name, Way way, int layers) implements Serializable {
  /** Division of the work. */
  public enum Way {
    /** Rows are distributed by keyword; each keyword is counted and judged by one subtask. */
    STATEFUL,
    /** Rows are not distributed: each subtask counts its part, and layers merge the counts. */
    STATELESS
  }

  private static final String LAYER = "-layer";

  /** Watermarks advance in steps, so the first may be this much too low. */
  private static final Duration STEP = Duration.ofMillis(11);

  public TrendSteps {
    Reductions.checkLayers(layers);
  }

  /**
   * Name of the step that counts keywords as they arrive. Differs by way, since the state differs.
   */
  public String counting() {
    return name + (way == Way.STATELESS ? "-parts" : "-counts");
  }

  private String counter(String counter) {
    return counting() + '.' + counter;
  }

  private String[] counters(String counter) {
    List<String> counting = new ArrayList<>(List.of(counting()));
    if (way == Way.STATELESS) {
      IntStream.range(1, layers).mapToObj(this::layer).forEach(counting::add);
      counting.add(last());
    }
    return counting.stream().map(step -> step + '.' + counter).toArray(String[]::new);
  }

  private String layer(int layer) {
    return name + LAYER + "-" + layer;
  }

  private String last() {
    return name + "-final";
  }

  /** Counters as figures. */
  public List<Figure> figures() {
    return List.of(
        new Figure("late", "late counts (bucket closed)", counters("lateRows")),
        new Figure("history", "counts older than an hour, dropped", counters("historyRows")),
        new Figure(
            "crowded_out",
            "counts of keywords dropped because the table was full",
            counters("crowdedOut")));
  }

  /**
   * Problems with their remedies. 1% of late counts or more is disorder beyond the watermark delay.
   *
   * @param watermarkDelay name of the setting
   */
  public List<String> problems(Map<String, Long> counters, String watermarkDelay) {
    long all = Pipeline.sum(counters, counter("rowsIn"));
    long late = Pipeline.sum(counters, counters("lateRows"));
    long crowded = Pipeline.sum(counters, counters("crowdedOut"));
    List<String> problems = new ArrayList<>();
    if (late * 100 > all) {
      problems.add(
          "%s: %d of %d counts dropped as late (bucket closed): raise %s"
              .formatted(name, late, all, watermarkDelay));
    }
    if (crowded * 100 > all) {
      problems.add(
          "%s: %d of %d counts were dropped because the table of keys was full: raise %s.model.keywords"
              .formatted(name, crowded, all, name));
    }
    return problems;
  }

  /**
   * Adds the steps.
   *
   * @param keywords blocks whose first columns are those of {@link TrendRows#EVENTS}; all subtasks
   *     must have the same event time at a barrier, since in the stateless way state may move to a
   *     subtask that reads another part of the stream; so an exchange must precede in that case
   * @param watermarkDelay of their event time
   * @param parallelism subtasks of the steps that have several
   * @return {@link TrendRows#TRENDS}, all trends of a keyword from one subtask
   */
  public DataStream<TableBlock> addTo(
      DataStream<TableBlock> keywords,
      TrendSettings settings,
      Duration watermarkDelay,
      int parallelism) {
    Duration lag = watermarkDelay.plus(STEP);
    if (way == Way.STATEFUL) {
      return Analyzers.analyzeKeyed(
          keywords,
          TrendRows.keyword(settings),
          counting(),
          BlockTypeInfo.TABLES,
          parallelism,
          Optional.of(Run.IDLE_TIMEOUT),
          subtask -> new TrendAnalyzer(settings, lag));
    }
    DataStream<TableBlock> parts =
        Analyzers.analyze(
            keywords,
            counting(),
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> TrendLayer.inner(settings, lag));
    parts =
        Reductions.halve(
            parts,
            name + LAYER,
            BlockTypeInfo.TABLES,
            layers - 1,
            Run.IDLE_TIMEOUT,
            Run.IDLE_TIMEOUT_PER_LAYER,
            subtask -> TrendLayer.inner(settings, lag));
    return Analyzers.analyze(
        parts.rescale(),
        last(),
        BlockTypeInfo.TABLES,
        1,
        Optional.of(Run.IDLE_TIMEOUT.plus(Run.IDLE_TIMEOUT_PER_LAYER.multipliedBy(layers))),
        subtask -> TrendLayer.last(settings, lag));
  }

  /**
   * A job of these steps on generated blocks, without a log and a table.
   *
   * @param keywords as for {@link #addTo}, with event time up to the newest row
   * @param delivery receives the trends
   */
  public BlockJob<TableBlock> appendTo(
      BlockJob<TableBlock> keywords,
      TrendSettings settings,
      int parallelism,
      AnalyzerFactory<Analyzer<TableBlock, TableBlock>> delivery) {
    return BlockJob.append(
        keywords,
        events -> {
          DataStream<TableBlock> trends = addTo(events, settings, Duration.ZERO, parallelism);
          return Analyzers.analyze(
              trends, "delivery", BlockTypeInfo.TABLES, trends.getParallelism(), delivery);
        });
  }
}
