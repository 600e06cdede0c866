package io.millrace.lab.trends;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.trend.Trend;
import io.millrace.analytics.trend.TrendKind;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.engine.operator.BlockJob;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Exchange between a benchmark and its job in the same process: takes batches of hours of page
 * views and returns trends. A batch is finished when the last step has received a watermark at its
 * end, since all earlier rows have then arrived. Thread-safe.
 */
final class JobFeed {
  private static final Map<String, JobFeed> ALL = new ConcurrentHashMap<>();
  private static final int BLOCK_ROWS = 8_192;
  private static final long PATIENCE_MILLIS = 300_000;

  /**
   * Maximum wait per turn. Checkpoint barriers pass only between turns; until one has passed,
   * alignment holds back the other subtasks, with rows that the feed waits for.
   */
  private static final long TURN_MILLIS = 10;

  /** Turns of each subtask; more than any run reaches. */
  private static final long TURNS = 1L << 40;

  private final int parts;

  /** Blocks by hour and subtask; null before they are provided and after they are taken. */
  private final List<TableBlock>[][] blocks;

  private final List<Trend> trends = new ArrayList<>();

  /** Latest watermark by subtask of the last step. */
  private long[] heard = {Long.MIN_VALUE};

  private int given;

  /** Number of hours taken by each subtask. */
  private final int[] taken;

  /**
   * Creates a feed and registers it under a name.
   *
   * @param parts number of subtasks that take blocks
   */
  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of lists
  JobFeed(String name, int hours, int parts) {
    this.parts = parts;
    blocks = new List[hours][parts];
    taken = new int[parts];
    ALL.put(name, this);
  }

  static void forget(String name) {
    ALL.remove(name);
  }

  /** Returns the blocks of an hour, distributed round-robin over the subtasks. */
  List<List<TableBlock>> blocks(PageViews.Hour hour) {
    List<List<TableBlock>> made = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      made.add(new ArrayList<>());
    }
    for (int first = 0; first < hour.rows; first += BLOCK_ROWS) {
      int rows = Math.min(BLOCK_ROWS, hour.rows - first);
      TableBlock block = new TableBlock(TrendRows.EVENTS, rows);
      for (int row = first; row < first + rows; row++) {
        int from = row == 0 ? 0 : hour.ends[row - 1];
        block.texts(1).add(hour.text, from, hour.ends[row] - from);
      }
      System.arraycopy(hour.micros, first, block.longs(0), 0, rows);
      Arrays.fill(block.longs(2), 1);
      block.rows(rows);
      made.get(first / BLOCK_ROWS % parts).add(block);
    }
    return made;
  }

  synchronized void give(List<List<List<TableBlock>>> batch) {
    for (List<List<TableBlock>> hour : batch) {
      for (int part = 0; part < parts; part++) {
        blocks[given][part] = hour.get(part);
      }
      given++;
    }
    notifyAll();
  }

  /** Waits until all hours provided so far are processed. */
  synchronized void awaitDone() throws InterruptedException {
    long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
    long end = PageViews.BEGIN + given * PageViews.HOUR - 1;
    while (Arrays.stream(heard).min().orElseThrow() < end) {
      long left = deadline - System.currentTimeMillis();
      if (left <= 0) {
        throw new IllegalStateException("hour " + given + " not processed after five minutes");
      }
      wait(left);
    }
  }

  synchronized List<Trend> trends() {
    return List.copyOf(trends);
  }

  /** Takes the next hour of a subtask; empty if it is not provided within a turn. */
  @SuppressWarnings("WaitNotInLoop") // turns are the loop
  private synchronized List<TableBlock> take(int part) {
    int hour = taken[part];
    try {
      if (hour == given) {
        wait(TURN_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (hour == given) {
      return List.of();
    }
    List<TableBlock> next = blocks[hour][part];
    blocks[hour][part] = null;
    taken[part]++;
    return next;
  }

  private synchronized long passed(int part) {
    return taken[part] == 0 ? Long.MIN_VALUE : PageViews.BEGIN + taken[part] * PageViews.HOUR - 1;
  }

  private synchronized void delivers(int subtasks) {
    if (heard.length < subtasks) {
      heard = new long[subtasks];
      Arrays.fill(heard, Long.MIN_VALUE);
    }
  }

  private synchronized void hears(int subtask, long micros) {
    heard[subtask] = micros;
    notifyAll();
  }

  private synchronized void takes(TableBlock rows) {
    for (int row = 0; row < rows.rows(); row++) {
      if (rows.text(row, TrendRows.TRENDS.indexOf("stage")).equals(TrendRows.FINAL)) {
        trends.add(
            new Trend(
                rows.longs(0)[row],
                rows.text(row, 1),
                rows.longs(2)[row],
                rows.doubles(3)[row],
                rows.doubles(4)[row],
                rows.doubles(5)[row],
                rows.doubles(6)[row],
                TrendKind.valueOf(rows.text(row, 7).toUpperCase(Locale.ROOT)),
                Arrays.stream(rows.text(row, 8).split(" ", -1)).map(Long::valueOf).toList()));
      }
    }
  }

  /** The source; each number is a turn of a subtask. */
  static final class Source implements BlockJob.Generator<TableBlock> {
    private static final long serialVersionUID = 1L;

    private final String name;

    Source(String name) {
      this.name = name;
    }

    static long turns(int parts) {
      return parts * TURNS;
    }

    @Override
    public void make(long number, Consumer<TableBlock> out) {
      ALL.get(name).take((int) (number / TURNS)).forEach(out);
    }

    @Override
    public long passed(long number) {
      return ALL.get(name).passed((int) (number / TURNS));
    }
  }

  /** The last step, which collects trends and watermarks. */
  static final class Delivery implements Analyzer<TableBlock, TableBlock> {
    private final JobFeed feed;
    private int index;

    Delivery(String name) {
      feed = ALL.get(name);
    }

    @Override
    public void open(AnalyzerContext context) {
      index = context.index();
      feed.delivers(context.count());
    }

    @Override
    public void process(TableBlock trends, Emitter<TableBlock> out) {
      feed.takes(trends);
    }

    @Override
    public void watermark(long micros, Emitter<TableBlock> out) {
      feed.hears(index, micros);
    }
  }
}
