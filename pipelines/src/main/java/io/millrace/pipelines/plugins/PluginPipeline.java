package io.millrace.pipelines.plugins;

import io.millrace.analytics.reduce.Combiner;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.Reductions;
import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * A plugin as a pipeline: joined flows → its analyzer → its table. Its settings are those of {@code
 * plugins.settings}, which its own class gives a meaning, so it has no section of its own.
 *
 * @param call the plugin, by name
 * @param jars that have its classes
 */
public record PluginPipeline(PluginCall call, List<Path> jars) implements FlowPipeline {
  @Override
  public String name() {
    return call.name();
  }

  /** What it travels with. */
  @Override
  public Record config() {
    return call;
  }

  @Override
  public Pipeline with(Record config) {
    return new PluginPipeline((PluginCall) config, jars);
  }

  @Override
  public boolean enabled() {
    return true;
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(ResultSpec.of(call.name(), call.result()));
  }

  private String uid() {
    return "plugin-" + call.name();
  }

  @Override
  public String inCounter() {
    return uid() + ".rowsIn";
  }

  @Override
  public List<String> storeSteps() {
    return List.of(uid() + "-store");
  }

  @Override
  public void addTo(DataStream<FlowBlock> flows, Run run) {
    PluginCall plugin = call;
    String uid = uid();
    DataStream<TableBlock> rows = analyzed(plugin, uid, flows, run.parallelism());
    if (plugin.combined().isPresent()) {
      rows =
          Reductions.reduce(
              rows,
              uid + "-layer",
              BlockTypeInfo.TABLES,
              plugin.layers(),
              Optional.of(Run.SILENCE),
              subtask -> Combiner.of(plugin.combined().orElseThrow()),
              subtask -> Combiner.last(plugin.combined().orElseThrow()));
    }
    run.store(rows, tables().get(0), uid + "-store");
  }

  private static DataStream<TableBlock> analyzed(
      PluginCall call, String uid, DataStream<FlowBlock> flows, int parallelism) {
    return call.keyed()
        ? Analyzers.analyzeKeyed(
            flows,
            call.keys(),
            uid,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(Run.SILENCE),
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
            Optional.of(Run.SILENCE),
            subtask -> call.create(subtask.classLoader()));
  }
}
