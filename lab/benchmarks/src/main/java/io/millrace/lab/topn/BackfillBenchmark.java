package io.millrace.lab.topn;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Mixin;

/**
 * Rate of rolling up stored rows: all sets and the sample of a store that was filled without
 * rollups, then one more set. The time includes opening the store.
 */
public final class BackfillBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final long DEFAULT_ROWS = 8_000_000;
  private static final long HOURS_MICROS = Duration.ofHours(2).toNanos() / 1_000;
  private static final int BLOCKS = 64;
  private static final long CHECKPOINT_ROWS = 1_000_000;
  private static final long ROWS_A_SECOND = 150_000;
  private static final double TARGET = 500_000;

  public BackfillBenchmark() {
    super("rollups.backfill", "rollups of rows in files: all sets, and one more");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(10 + rowsOption.or(DEFAULT_ROWS) / ROWS_A_SECOND);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long rows = rowsOption.or(DEFAULT_ROWS);
    Path directory = context.directory().resolve("store");
    Frontier end;
    try (DuckDbStore store = open(directory, RollupConfig.DEFAULT.withEnabled(false))) {
      end = write(store.table(Store.FLOWS, WeekOfFlows.SCHEMA), rows);
    }
    roll(context, directory, RollupConfig.DEFAULT, rows, end, "all", "as");
    Map<String, List<String>> sets = new TreeMap<>(RollupConfig.DEFAULT.sets());
    sets.put("exporter_as", List.of("exporter", "src_as")); // few enough for a bucket
    roll(
        context,
        directory,
        RollupConfig.DEFAULT.withSets(sets),
        rows,
        end,
        "one",
        "exporter",
        "src_as");
  }

  private static DuckDbStore open(Path directory, RollupConfig rollups) {
    return new DuckDbStore(directory, StoreConfig.defaults(), rollups);
  }

  private static Frontier write(FlowTable table, long rows) {
    WeekOfFlows flows = new WeekOfFlows(rows);
    List<FlowBlock> blocks = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      blocks.add(flows.block(0, WeekOfFlows.BLOCK, 0));
    }
    long offset = 0;
    try (FlowWriter writer = table.writer()) {
      long committed = 0;
      for (long next = 0; next < rows; ) {
        FlowBlock block = blocks.get((int) (offset % BLOCKS));
        int count = (int) Math.min(WeekOfFlows.BLOCK, rows - next);
        long[] times = block.longs(FlowColumn.TIME);
        for (int i = 0; i < count; i++) {
          times[i] = WeekOfFlows.START_MICROS + (long) ((double) (next + i) / rows * HOURS_MICROS);
        }
        block.rows(count);
        block.logPosition(0, offset++);
        writer.append(block);
        next += count;
        if (next - committed >= CHECKPOINT_ROWS || next == rows) {
          committed = next;
          writer.flush();
          table.committed(new Frontier(Map.of(0, offset)));
        }
      }
    }
    return new Frontier(Map.of(0, offset));
  }

  private void roll(
      BenchContext context,
      Path directory,
      RollupConfig rollups,
      long rows,
      Frontier end,
      String sets,
      String... group) {
    long start = System.nanoTime();
    try (DuckDbStore store = open(directory, rollups)) {
      store.table(Store.FLOWS, WeekOfFlows.SCHEMA).committed(end);
      store.rollUp();
      double seconds = (System.nanoTime() - start) / 1e9;
      Figure figure = Figure.of(name(), "rate", rows / seconds, "rows");
      context.report(figure.with("rows", rows).with("sets", sets).aiming(Target.atLeast(TARGET)));
      check(store, group);
    }
  }

  /** Checks that the sums come from rollups and equal those of the rows. */
  private static void check(Store store, String... group) {
    FlowQuery query = FlowQuery.top(10, Measure.BITS, group);
    TopResult rolled = store.top(query);
    TopResult scanned = store.top(query.withScan(true));
    boolean isSame =
        rolled.total() == scanned.total()
            && rolled.rows().get(0).volume() == scanned.rows().get(0).volume();
    if (rolled.source().equals("rows") || !isSame) {
      throw new WrongResultException("top differs: " + rolled + ", by scanning " + scanned);
    }
  }
}
