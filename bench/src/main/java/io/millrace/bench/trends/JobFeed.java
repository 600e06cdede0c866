package io.millrace.bench.trends;

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
 * The way between a benchmark and its job in the same process: hours of page views go in, a stretch
 * of them at a time, and trends come out. The job has done a stretch when its last step has heard
 * that event time has passed it, which all rows in front have reached by then. Thread-safe.
 */
final class JobFeed {
  private static final Map<String, JobFeed> ALL = new ConcurrentHashMap<>();
  private static final int BLOCK_ROWS = 8_192;
  private static final long PATIENCE_MILLIS = 300_000;

  private final int parts;

  /** Of each hour and part of the job its blocks; null where they are not given yet, or taken. */
  private final List<TableBlock>[][] blocks;

  private final List<Trend> trends = new ArrayList<>();

  /** What event time each subtask of the last step has heard. */
  private long[] heard = {Long.MIN_VALUE};

  private int given;

  /**
   * A feed under a name.
   *
   * @param parts subtasks that take blocks
   */
  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of lists
  JobFeed(String name, int hours, int parts) {
    this.parts = parts;
    blocks = new List[hours][parts];
    ALL.put(name, this);
  }

  static void forget(String name) {
    ALL.remove(name);
  }

  /** Blocks of an hour, dealt out over the parts. */
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

  /** Gives the next hours to the job. */
  synchronized void give(List<List<List<TableBlock>>> stretch) {
    for (List<List<TableBlock>> hour : stretch) {
      for (int part = 0; part < parts; part++) {
        blocks[given][part] = hour.get(part);
      }
      given++;
    }
    notifyAll();
  }

  /** Waits until all is done that was given. */
  synchronized void awaitDone() throws InterruptedException {
    long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
    long end = PageViews.BEGIN + given * PageViews.HOUR - 1;
    while (Arrays.stream(heard).min().orElseThrow() < end) {
      long left = deadline - System.currentTimeMillis();
      if (left <= 0) {
        throw new IllegalStateException("the job has not done hour " + given + " in five minutes");
      }
      wait(left);
    }
  }

  /** What has risen. */
  synchronized List<Trend> trends() {
    return List.copyOf(trends);
  }

  private synchronized List<TableBlock> take(int hour, int part) {
    boolean isInterrupted = false;
    while (hour >= given && !isInterrupted) {
      try {
        wait();
      } catch (InterruptedException e) {
        isInterrupted = true;
        Thread.currentThread().interrupt();
      }
    }
    List<TableBlock> taken = isInterrupted ? List.of() : blocks[hour][part];
    blocks[hour][part] = null;
    return taken;
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

  /** The first step: number n is an hour, of the first part and then of the next. */
  static final class Source implements BlockJob.Generator<TableBlock> {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final int hours;

    Source(String name, int hours) {
      this.name = name;
      this.hours = hours;
    }

    @Override
    public void make(long number, Consumer<TableBlock> out) {
      ALL.get(name).take((int) number % hours, (int) number / hours).forEach(out);
    }

    @Override
    public long passed(long number) {
      return PageViews.BEGIN + (number % hours + 1) * PageViews.HOUR - 1;
    }
  }

  /** The last step. */
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
