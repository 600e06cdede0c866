package io.millrace.server.runtime;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StatePieces;
import io.millrace.analytics.plugin.FlowAnalysis;
import io.millrace.analytics.plugin.Settings;
import io.millrace.analytics.reduce.CombinedRows;
import io.millrace.analytics.reduce.Combiner;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;

/** Rows and bytes by second and protocol: each copy's are a part, and all parts are added up. */
public final class PartialPlugin implements FlowAnalysis {
  static final String NAME = "bytes_by_proto";

  private static final long SECOND = 1_000_000;
  private static final TableSchema RESULT =
      TableSchema.builder()
          .time("second_end")
          .number("proto")
          .number("row_count")
          .number("bytes")
          .build();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public TableSchema result() {
    return RESULT;
  }

  @Override
  public int sums() {
    return 2;
  }

  @Override
  public Analyzer<FlowBlock, TableBlock> create(Settings settings) {
    return new Parts();
  }

  /** Makes a row of each flow, and has a combiner add them up. */
  private static final class Parts implements Analyzer<FlowBlock, TableBlock>, PartitionedState {
    private final Combiner sums = Combiner.of(new CombinedRows(RESULT, 2));

    @Override
    public void open(AnalyzerContext context) {
      sums.open(context);
    }

    @Override
    public void process(FlowBlock flows, Emitter<TableBlock> out) {
      TableBlock rows = new TableBlock(RESULT, flows.rows());
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
    public void snapshot(StatePieces out) throws Exception {
      sums.snapshot(out);
    }

    @Override
    public void restore(int piece, long version, byte[] state) {
      sums.restore(piece, version, state);
    }
  }
}
