package io.millrace.lab.topn;

import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.JoinedColumn.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

/**
 * Sampled packets of a week at an exchange point. Networks, domains and addresses follow Zipf's
 * law; an address belongs to one network. The same number of rows gives the same rows.
 */
public final class WeekOfFlows {
  /** Sunday midnight. */
  public static final long START_MICROS = 1_762_041_600_000_000L;

  /** Length of a week. */
  public static final long WEEK_MICROS = 7L * 24 * 3_600 * 1_000_000;

  /** Columns that datasets would add. */
  public static final FlowSchema SCHEMA =
      new FlowSchema(
          List.of(
              new FlowSchema.AddedColumn("src_as", Kind.NUMBER),
              new FlowSchema.AddedColumn("src_as_name", Kind.TEXT),
              new FlowSchema.AddedColumn("dst_as", Kind.NUMBER),
              new FlowSchema.AddedColumn("dst_as_name", Kind.TEXT),
              new FlowSchema.AddedColumn("src_domain", Kind.TEXT),
              new FlowSchema.AddedColumn("dst_domain", Kind.TEXT)));

  /** Most rows per block. */
  public static final int BLOCK = 4_096;

  private static final int NETWORKS = 1_000;
  private static final int DOMAINS = 2_000;
  private static final int ADDRESSES = 2_000_000;
  private static final int WRITERS = 2;
  private static final long CHECKPOINT = 2_000_000;
  private static final long AS_NAMES = 1L << 40;
  private static final long DOMAIN_NAMES = 2L << 40;

  private static final int EXPORTERS = 8;

  private final long rows;
  private final long startMicros;
  private final long lengthMicros;
  private final int exporters;
  private final Part alone = new Part(0, null);

  WeekOfFlows(long rows) {
    this(rows, START_MICROS);
  }

  /** The same rows in another week, from its start in microseconds since the epoch. */
  public WeekOfFlows(long rows, long startMicros) {
    this(rows, startMicros, WEEK_MICROS);
  }

  /** The same rows in another period. */
  public WeekOfFlows(long rows, long startMicros, long lengthMicros) {
    this(rows, startMicros, lengthMicros, EXPORTERS);
  }

  /** The same rows with another number of exporters. */
  public WeekOfFlows(long rows, long startMicros, long lengthMicros, int exporters) {
    this.rows = rows;
    this.exporters = exporters;
    this.startMicros = startMicros;
    this.lengthMicros = lengthMicros;
  }

  /**
   * Returns a block of rows for a single writer; must be called in order.
   *
   * @param first number of the first row
   * @param count at most {@link #BLOCK}
   * @param offset of the block in the log
   */
  public FlowBlock block(long first, int count, long offset) {
    alone.first = first;
    alone.offset = offset;
    return alone.block(count);
  }

  /**
   * Writes all rows. Two writers, each with its own log partition, write the blocks alternately,
   * and checkpoints cover the rows of both, as in a job with two subtasks.
   */
  public void write(FlowTable table) throws InterruptedException, ExecutionException {
    write(table, CHECKPOINT, written -> {});
  }

  /**
   * Writes all rows with another checkpoint interval.
   *
   * @param checkpoint rows per checkpoint
   * @param written called before each checkpoint with the number of rows that it covers in total
   */
  public void write(FlowTable table, long checkpoint, LongConsumer written)
      throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    List<Part> parts = new ArrayList<>();
    try {
      for (int i = 0; i < WRITERS; i++) {
        parts.add(new Part(i, table.writer()));
      }
      for (long end = 0; end < rows; ) {
        end = Math.min(rows, end + checkpoint);
        write(threads, parts, end);
        Map<Integer, Long> next = new HashMap<>();
        parts.forEach(part -> next.put(part.partition, part.offset));
        written.accept(end);
        table.committed(new Frontier(next));
      }
    } finally {
      threads.shutdownNow();
      parts.forEach(part -> part.writer.close());
    }
  }

  private static void write(ExecutorService threads, List<Part> parts, long end)
      throws InterruptedException, ExecutionException {
    List<Callable<Void>> tasks = new ArrayList<>();
    for (Part part : parts) {
      tasks.add(
          () -> {
            part.write(end);
            return null;
          });
    }
    for (Future<Void> task : threads.invokeAll(tasks)) {
      task.get();
    }
  }

  private final class Part {
    private final int partition;
    private final FlowWriter writer;
    private final SplittableRandom random;
    private final int[][] joined = new int[SCHEMA.joined().size()][BLOCK];
    private long first;
    private long offset;
    private boolean isNamed;

    Part(int partition, FlowWriter writer) {
      this.partition = partition;
      this.writer = writer;
      random = new SplittableRandom(42 + partition);
      first = (long) partition * BLOCK;
    }

    /** Writes its blocks that begin before row {@code end}. */
    void write(long end) {
      for (; first < end; first += WRITERS * BLOCK) {
        writer.append(block((int) Math.min(BLOCK, rows - first)));
        offset++;
      }
      writer.flush();
    }

    private FlowBlock block(int count) {
      FlowBlock block = new FlowBlock(BLOCK);
      block.logPosition(partition, offset);
      for (FlowColumn column : FlowColumn.ALL) {
        if (!column.optional() && column.type().isInt()) {
          Arrays.fill(block.ints(column), FlowBlock.NULL);
        }
      }
      for (int i = 0; i < count; i++) {
        block.longs(FlowColumn.TIME)[i] = startMicros + time(first + i);
        address(block, FlowColumn.EXPORTER, i, 0x0A00_0000 + random.nextInt(exporters));
        end(block, FlowColumn.SRC_ADDR, i, 0);
        end(block, FlowColumn.DST_ADDR, i, 2);
        block.ints(FlowColumn.PROTO)[i] = random.nextInt(5) == 0 ? 17 : 6;
        block.ints(FlowColumn.SRC_PORT)[i] = zipf(60_000);
        block.ints(FlowColumn.DST_PORT)[i] = zipf(60_000);
        block.longs(FlowColumn.BYTES)[i] = random.nextInt(3) == 0 ? 64 : 1_500;
        block.longs(FlowColumn.PACKETS)[i] = 1;
        block.ints(FlowColumn.SAMPLING_RATE)[i] = 4_096;
        block.ints(FlowColumn.IN_IF)[i] = random.nextInt(64);
        block.ints(FlowColumn.OUT_IF)[i] = random.nextInt(64);
        block.logIndex()[i] = i;
      }
      for (int i = 0; i < joined.length; i++) {
        FlowSchema.AddedColumn column = SCHEMA.joined().get(i);
        long base =
            column.kind() == Kind.NUMBER
                ? 0
                : column.name().endsWith("_name") ? AS_NAMES : DOMAIN_NAMES;
        block.joined().add(new JoinedColumn(column.name(), column.kind(), base, joined[i]));
      }
      if (!isNamed) {
        names(block);
        isNamed = true;
      }
      block.rows(count);
      return block;
    }

    private long time(long row) {
      return (long) ((double) row / rows * lengthMicros);
    }

    private void end(FlowBlock block, FlowColumn column, int row, int numbers) {
      int host = zipf(ADDRESSES);
      int network = below(NETWORKS, ((host * 0x9E37_79B1) >>> 1) * 0x1.0p-31);
      address(block, column, row, 0x5000_0000 + host);
      joined[numbers][row] = 64_512 + network;
      joined[numbers + 1][row] = network;
      joined[4 + numbers / 2][row] = host % 3 == 0 ? FlowBlock.NULL : zipf(DOMAINS);
    }

    /** A random number below a bound; one ten times as large is a tenth as likely. */
    private int zipf(int bound) {
      return below(bound, random.nextDouble());
    }
  }

  private static void names(FlowBlock block) {
    for (int i = 0; i < NETWORKS; i++) {
      name(block, AS_NAMES + i, "Network " + i);
    }
    for (int i = 0; i < DOMAINS; i++) {
      name(block, DOMAIN_NAMES + i, "site" + i + ".example");
    }
  }

  private static void name(FlowBlock block, long id, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    block.names().add(id, bytes, 0, bytes.length);
  }

  private static int below(int bound, double unit) {
    return (int) Math.pow(bound, unit) - 1;
  }

  static void address(FlowBlock block, FlowColumn column, int row, int v4) {
    block.addressHigh(column)[row] = 0;
    block.addressLow(column)[row] = Addresses.v4Low(v4);
  }
}
