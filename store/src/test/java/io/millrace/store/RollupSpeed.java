package io.millrace.store;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;

/** Measures processor time per row of appends and rollups, over all threads; run by hand. */
final class RollupSpeed {
  private static final int BLOCKS = 64;
  private static final long START = 1_700_000_000_000_000L;

  private RollupSpeed() {}

  /** Arguments: rounds, thousands of rows per round, rows per second. */
  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    long rowsOfRound = Long.parseLong(args[1]) * 1_000;
    double rate = Double.parseDouble(args[2]);
    Path folder = Files.createTempDirectory("rollup-speed");
    Random random = new Random(1);
    FlowBlock[] blocks = new FlowBlock[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
      blocks[i] = AppendSpeed.traffic(random, i);
    }
    try (DuckDbStore store =
        new DuckDbStore(folder, StoreConfig.defaults(), RollupConfig.DEFAULT)) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      try (FlowWriter writer = table.writer()) {
        long offset = 0;
        long rows = 0;
        for (int round = 1; round <= rounds; round++) {
          long before = cpuNanos();
          while (rows < round * rowsOfRound) {
            FlowBlock block = blocks[(int) (offset % BLOCKS)];
            block.logPosition((int) (offset % 4), offset / 4);
            long[] times = block.longs(FlowColumn.TIME);
            for (int i = 0; i < block.rows(); i++) {
              times[i] = START + (long) (rows++ * 1e6 / rate);
            }
            writer.append(block);
            offset++;
          }
          writer.flush();
          long appended = cpuNanos();
          long next = offset / 4;
          table.committed(new Frontier(Map.of(0, next, 1, next, 2, next, 3, next)));
          store.rollUp();
          System.out.printf(
              "%.0f ns CPU a row to append, %.0f to roll up; %.1f bytes a row%n",
              (double) (appended - before) / rowsOfRound,
              (double) (cpuNanos() - appended) / rowsOfRound,
              (double) store.diskBytes() / rows);
        }
      }
    }
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
