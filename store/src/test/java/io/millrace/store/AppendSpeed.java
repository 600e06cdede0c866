package io.millrace.store;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * Measures rows per second of one writer, and processor time per row over all threads; run by hand.
 */
public final class AppendSpeed {
  private static final int BLOCKS = 64;
  private static final int ROWS = 3_500;

  private AppendSpeed() {}

  /** Argument: rounds of 1,120,000 rows. */
  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
    Path folder = Files.createTempDirectory("append-speed");
    FlowBlock[] blocks = blocks();
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    try (Store store = new DuckDbStore(folder, StoreConfig.defaults())) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      try (FlowWriter writer = table.writer()) {
        long offset = 0;
        for (int round = 0; round < rounds; round++) {
          long cpu = system.getProcessCpuTime();
          long written = writtenBytes();
          long start = System.nanoTime();
          for (int i = 0; i < 5 * BLOCKS; i++) {
            FlowBlock block = blocks[i % BLOCKS];
            block.logPosition(0, offset++);
            writer.append(block);
          }
          double rows = 5.0 * BLOCKS * ROWS;
          System.out.printf(
              "%.2f M rows/s, %.0f ns CPU a row, %.1f bytes a row, %.1f bytes written a row%n",
              rows / (System.nanoTime() - start) * 1e3,
              (system.getProcessCpuTime() - cpu) / rows,
              Files.size(folder.resolve("millrace.duckdb")) / (rows * (round + 1)),
              (writtenBytes() - written) / rows);
        }
      }
    }
  }

  /** Blocks of 3,500 rows. */
  public static FlowBlock[] blocks() {
    FlowBlock[] blocks = new FlowBlock[BLOCKS];
    Random random = new Random(1);
    for (int i = 0; i < BLOCKS; i++) {
      blocks[i] = traffic(random, i);
    }
    return blocks;
  }

  /** Bytes that this process has written to disk, as counted by Linux; 0 elsewhere. */
  private static long writtenBytes() throws IOException {
    Path counts = Path.of("/proc/self/io");
    if (!Files.exists(counts)) {
      return 0;
    }
    return Files.readAllLines(counts).stream()
        .filter(line -> line.startsWith("write_bytes:"))
        .mapToLong(line -> Long.parseLong(line.substring(13)))
        .sum();
  }

  static FlowBlock traffic(Random random, int number) {
    FlowBlock block = Flows.joined(ROWS, 0, number);
    for (int i = 0; i < ROWS; i++) {
      for (FlowColumn column : new FlowColumn[] {FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR}) {
        int rank = (int) Math.pow(1_000_000, random.nextDouble());
        boolean v6 = rank % 10 == 0;
        block.addressHigh(column)[i] = v6 ? 0x2001_0DB8_0000_0000L : 0;
        block.addressLow(column)[i] =
            v6 ? (long) rank * 7_046_029_254_386_353_131L : scattered(rank);
      }
      block.ints(FlowColumn.SRC_PORT)[i] = random.nextInt(65_536);
      block.ints(FlowColumn.DST_PORT)[i] = random.nextInt(3) == 0 ? 443 : random.nextInt(65_536);
      block.longs(FlowColumn.BYTES)[i] = 40L + random.nextInt(1_461);
      block.ints(FlowColumn.TCP_FLAGS)[i] = 16 + random.nextInt(9);
      block.ints(FlowColumn.ETHER_TYPE)[i] = 0x0800;
      block.ints(FlowColumn.IN_IF)[i] = random.nextInt(400);
      block.ints(FlowColumn.OUT_IF)[i] = random.nextInt(400);
      block.ints(FlowColumn.TOS)[i] = 0;
    }
    return block;
  }

  private static long scattered(int rank) {
    int address = rank * 0x9E37_79B1;
    return Addresses.v4Low(address);
  }
}
