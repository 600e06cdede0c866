package io.millrace.store.duckdb.refused;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.FlowBlock;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.stream.IntStream;

/**
 * What refused rows cost a writer: rows a second, their part of the rate without, and processor
 * time a row; run by hand.
 */
final class RefusedSpeed {
  private static final int ROWS = 3_500;

  private RefusedSpeed() {}

  /** Argument: blocks of 3,500 rows. */
  public static void main(String[] args) throws Exception {
    int blocks = args.length > 0 ? Integer.parseInt(args[0]) : 100;
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    try (DuckDbStore store =
        PoisonedStore.open(Files.createTempDirectory("refused-speed"), StoreConfig.defaults())) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      long offset = 0;
      double without = 1;
      for (int oneIn : new int[] {0, 0, 100_000, 1_000, 10}) { // the first warms up
        try (FlowWriter writer = table.writer(Flows.LATER)) {
          long cpu = system.getProcessCpuTime();
          long start = System.nanoTime();
          for (int i = 0; i < blocks; i++) {
            FlowBlock block = Flows.joined(ROWS, 0, offset++);
            long first = (long) i * ROWS;
            if (oneIn > 0) {
              PoisonedStore.poison(
                  block, IntStream.range(0, ROWS).filter(k -> (first + k) % oneIn == 7).toArray());
            }
            writer.append(block);
          }
          writer.flush();
          double rows = (double) blocks * ROWS;
          double rate = rows / (System.nanoTime() - start) * 1e9;
          without = oneIn == 0 ? rate : without;
          System.out.printf(
              "one row refused in %,7d: %,10.0f rows/s, %4.2f of the rate without, %,7.0f ns CPU a row%n",
              oneIn, rate, rate / without, (system.getProcessCpuTime() - cpu) / rows);
        }
      }
    }
  }
}
