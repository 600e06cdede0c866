package io.millrace.server.runtime;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.EventTimers;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Bytes by source and second, with an analyzer that fails on request. */
public final class StumblingPlugin implements FlowPipeline {
  static final String NAME = "bytes_by_source";

  /** Number of blocks until an analyzer fails; negative for never. */
  static final AtomicInteger BLOCKS_LEFT = new AtomicInteger(-1);

  static final AtomicInteger FAILURES = new AtomicInteger();

  private static final long SECOND = 1_000_000;
  private static final TableSchema RESULT =
      TableSchema.builder().time("second").address("src_addr").number("bytes").build();

  private static final RowKeys<FlowBlock> BY_SOURCE =
      (block, hashes) -> {
        long[] high = block.addressHigh(FlowColumn.SRC_ADDR);
        long[] low = block.addressLow(FlowColumn.SRC_ADDR);
        for (int row = 0; row < block.rows(); row++) {
          hashes[row] = Hash.of(high[row], low[row]);
        }
      };

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
    return List.of(ResultSpec.of(NAME, RESULT));
  }

  @Override
  public String inCounter() {
    return NAME + ".rowsIn";
  }

  @Override
  public void addTo(DataStream<FlowBlock> flows, Run run) {
    run.store(
        Analyzers.analyzeKeyed(
            flows,
            BY_SOURCE,
            NAME,
            BlockTypeInfo.TABLES,
            run.parallelism(),
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> new Sums()),
        tables().get(0));
  }

  private record None() {}

  private static final class Sums implements KeyedAnalyzer<FlowBlock, TableBlock> {
    private KeyTable sums;
    private EventTimers ends;

    @Override
    public void open(AnalyzerContext context) {
      sums = new KeyTable(context.keyGroups(), 3, 1);
      ends = new EventTimers(context.keyGroups());
    }

    @Override
    public void process(FlowBlock flows, Emitter<TableBlock> out) {
      if (BLOCKS_LEFT.get() >= 0 && BLOCKS_LEFT.getAndDecrement() == 0) {
        FAILURES.incrementAndGet();
        throw new IllegalStateException("stumbled, as the test wants it");
      }
      long[] time = flows.longs(FlowColumn.TIME);
      long[] high = flows.addressHigh(FlowColumn.SRC_ADDR);
      long[] low = flows.addressLow(FlowColumn.SRC_ADDR);
      long[] bytes = flows.longs(FlowColumn.BYTES);
      for (int row = 0; row < flows.rows(); row++) {
        long second = time[row] - Math.floorMod(time[row], SECOND);
        int hash = Hash.of(high[row], low[row]);
        int known = sums.size();
        int entry = sums.entry(hash, high[row], low[row], second);
        sums.values(0)[entry] += bytes[row];
        if (sums.size() > known) {
          // Timers have keys of two numbers; the upper half is the same for all IPv4 addresses.
          ends.set(second + SECOND - 1, hash, low[row], second);
        }
      }
    }

    @Override
    public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
      TableBlock rows = new TableBlock(RESULT, 16);
      ends.fire(
          micros,
          (moment, hash, low, second) -> {
            int entry = sums.find(hash, 0, low, second);
            rows.reserve(1);
            int row = rows.rows();
            rows.longs(0)[row] = second;
            rows.addressHigh(1)[row] = 0;
            rows.addressLow(1)[row] = low;
            rows.longs(2)[row] = sums.values(0)[entry];
            rows.rows(row + 1);
            sums.remove(entry);
          });
      if (rows.rows() > 0) {
        out.emit(rows);
      }
    }

    @Override
    public StateSnapshot snapshot() {
      return StateSnapshot.of(sums.snapshot(), ends.snapshot());
    }

    @Override
    public void restore(int group, BlockInput in) {
      sums.restore(in);
      ends.restore(in);
    }
  }
}
