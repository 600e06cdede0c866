package io.millrace.pipelines.flows;

import io.millrace.analytics.reduce.Combiner;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.Reductions;
import io.millrace.engine.sink.CheckpointCoverage;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.pipelines.plugins.PluginCall;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * The steps of one plugin: joined flows → its analyzer → its table. Their uids are made of the
 * plugin's name, so that its state is found whatever other plugins come and go.
 *
 * @param plugin by name
 * @param store where its table is
 * @param table that is filled
 * @param parallelism of the analyzer
 */
record PluginSteps(PluginCall plugin, StoreLink store, String table, int parallelism) {
  /** Results are few: a row need not wait for many others. */
  private static final Duration FLUSH_INTERVAL = Duration.ofMillis(100);

  private static final int FLUSH_ROWS = 10_000;

  /**
   * Longer than fetching from a log that has more takes, also where machines are busy: else what is
   * on its way would be late. The last windows of a network that falls quiet wait for this.
   */
  private static final Duration QUIET = Duration.ofSeconds(7);

  void addTo(DataStream<FlowBlock> flows) {
    PluginCall call = plugin;
    String uid = "plugin-" + call.name();
    DataStream<TableBlock> rows = analyzed(call, uid, flows);
    if (call.combined().isPresent()) {
      rows =
          Reductions.reduce(
              rows,
              uid + "-layer",
              BlockTypeInfo.TABLES,
              call.layers(),
              Optional.of(QUIET),
              subtask -> Combiner.of(call.combined().orElseThrow()));
    }
    StoreLink link = store;
    String tableName = table;
    RewindableSink.of(
            subtask ->
                new StoreTarget<TableBlock, Long>(
                    () -> link.openResults(tableName, call.result(), List.of())),
            new CheckpointCoverage<>())
        .flushingEvery(FLUSH_INTERVAL, FLUSH_ROWS)
        .addTo(rows, uid + "-store", rows.getParallelism());
  }

  private DataStream<TableBlock> analyzed(
      PluginCall call, String uid, DataStream<FlowBlock> flows) {
    return call.keyed()
        ? Analyzers.analyzeKeyed(
            flows,
            call.keys(),
            uid,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(QUIET),
            subtask -> call.createKeyed(subtask.classLoader()))
        : Analyzers.analyze(
            Analyzers.analyze(
                flows,
                uid + "-copy",
                BlockTypeInfo.FLOWS,
                parallelism,
                subtask -> new FlowCopies()),
            uid,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(QUIET),
            subtask -> call.create(subtask.classLoader()));
  }
}
