package io.millrace.server.runtime;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.analytics.reduce.CombinedRows;
import io.millrace.analytics.reduce.Combiner;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.Reductions;
import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.List;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Rows and bytes by second and protocol: subtasks produce partial sums, which are merged. */
public final class PartialPlugin implements FlowPipeline {
  static final String NAME = "bytes_by_proto";

  private static final long SECOND = 1_000_000;
  private static final CombinedRows SUMS =
      new CombinedRows(
          TableSchema.builder()
              .time("second_end")
              .number("proto")
              .number("row_count")
              .number("bytes")
              .build(),
          2);

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Record config() {
    return new None();
  }

  @Override
  public Pipeline with(Record config) {
    return this;
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(ResultSpec.of(NAME, SUMS.schema()));
  }

  @Override
  public String inCounter() {
    return NAME + ".rowsIn";
  }

  @Override
  public void addTo(DataStream<FlowBlock> flows, Run run) {
    run.store(
        Reductions.reduce(
            Analyzers.analyze(
                flows,
                NAME,
                BlockTypeInfo.TABLES,
                run.parallelism(),
                Optional.of(Run.IDLE_TIMEOUT),
                subtask -> new Parts()),
            NAME + "-layer",
            BlockTypeInfo.TABLES,
            Reductions.MAX_LAYERS,
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> Combiner.of(SUMS),
            subtask -> Combiner.last(SUMS)),
        tables().get(0));
  }

  private record None() {}

  /** Emits a row for each flow, which a combiner sums. */
  private static final class Parts implements Analyzer<FlowBlock, TableBlock>, PartitionedState {
    private final Combiner sums = Combiner.of(SUMS);

    @Override
    public void open(AnalyzerContext context) {
      sums.open(context);
    }

    @Override
    public void process(FlowBlock flows, Emitter<TableBlock> out) {
      TableBlock rows = new TableBlock(SUMS.schema(), flows.rows());
      for (int row = 0; row < flows.rows(); row++) {
        long time = flows.longs(FlowColumn.TIME)[row];
        rows.longs(0)[row] = time - Math.floorMod(time, SECOND) + SECOND;
        rows.longs(1)[row] = flows.ints(FlowColumn.PROTO)[row];
        rows.longs(2)[row] = 1;
        rows.longs(3)[row] = flows.longs(FlowColumn.BYTES)[row];
      }
      rows.rows(flows.rows());
      sums.process(rows, out);
    }

    @Override
    public void watermark(long micros, Emitter<TableBlock> out) {
      sums.watermark(micros, out);
    }

    @Override
    public void idle(Emitter<TableBlock> out) {
      sums.idle(out);
    }

    @Override
    public void snapshot(StateWriter out) throws Exception {
      sums.snapshot(out);
    }

    @Override
    public void restore(int piece, long version, byte[] state) {
      sums.restore(piece, version, state);
    }
  }
}
