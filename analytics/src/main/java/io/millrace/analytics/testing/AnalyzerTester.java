package io.millrace.analytics.testing;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Selectable;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Runs an analyzer in all the ways in which an engine may run it, and compares each with the one
 * output that is expected:
 *
 * <ul>
 *   <li>the blocks as they are given, and cut into single rows;
 *   <li>restored never, after every block, and after every other one, each time from a snapshot
 *       that is turned into bytes only after the analyzer has worked on;
 *   <li>by one, two and three subtasks, the number changing at each restore;
 *   <li>with room for every block that is offered, and for every other one.
 * </ul>
 *
 * Event time is what {@link #watermark} says, and stays what it is through a restore. At the end a
 * watermark says that the input is over; then no state must be left. The order of rows is not
 * compared: with several subtasks it is nobody's.
 *
 * <pre>{@code
 * AnalyzerTester.of(PacketsByCountry::new)
 *     .keyedBy(PacketsByCountry.KEYS)
 *     .feed(block)
 *     .watermark(60_000_000)
 *     .expect("0 DE 17", "0 FR 4");
 * }</pre>
 *
 * @param <I> the blocks that go in
 * @param <O> the blocks that come out
 */
public final class AnalyzerTester<I extends Selectable<I>, O extends Block> {
  private static final int[] WITHOUT_KEYS = {1};
  private static final int[] CHANGING = {1, 2, 3};

  private final Supplier<? extends Analyzer<I, O>> analyzer;
  private final Function<O, List<String>> print;
  private final List<Event<I>> events = new ArrayList<>();
  private final Map<Output<?>, Expected<?>> outputs = new LinkedHashMap<>();
  private final Map<String, Long> counters = new LinkedHashMap<>();
  private RowKeys<I> keys;
  private boolean leavingState;

  /** A block or a watermark; the other is absent. */
  record Event<I>(I block, long watermark) {}

  /** What must come out of a further output. */
  private record Expected<B>(Function<B, List<String>> print, List<String> rows) {}

  private AnalyzerTester(
      Supplier<? extends Analyzer<I, O>> analyzer, Function<O, List<String>> print) {
    this.analyzer = analyzer;
    this.print = print;
  }

  /**
   * A tester of analyzers that give tables; a row is expected as its values with a blank between,
   * times in microseconds.
   *
   * @param analyzer makes a new one
   */
  public static <I extends Selectable<I>> AnalyzerTester<I, TableBlock> of(
      Supplier<? extends Analyzer<I, TableBlock>> analyzer) {
    return of(analyzer, AnalyzerTester::rows);
  }

  /** A tester of analyzers that give other blocks, with the way to print the rows of one. */
  public static <I extends Selectable<I>, O extends Block> AnalyzerTester<I, O> of(
      Supplier<? extends Analyzer<I, O>> analyzer, Function<O, List<String>> print) {
    return new AnalyzerTester<>(analyzer, print);
  }

  private static List<String> rows(TableBlock block) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      StringBuilder text = new StringBuilder();
      for (int column = 0; column < block.schema().size(); column++) {
        text.append(column == 0 ? "" : " ").append(block.text(row, column));
      }
      rows.add(text.toString());
    }
    return rows;
  }

  /** Deals the rows out by these keys; for a {@link KeyedAnalyzer}. */
  public AnalyzerTester<I, O> keyedBy(RowKeys<I> rowKeys) {
    keys = rowKeys;
    return this;
  }

  /** The next input. Each run gets a copy. */
  public AnalyzerTester<I, O> feed(I block) {
    events.add(new Event<>(block, Long.MIN_VALUE));
    return this;
  }

  /** The next input: event time has come to {@code micros}. */
  public AnalyzerTester<I, O> watermark(long micros) {
    events.add(new Event<>(null, micros));
    return this;
  }

  /** Says that state is left when the input is over. */
  public AnalyzerTester<I, O> leavingState() {
    leavingState = true;
    return this;
  }

  /**
   * Says what must come out of one of the analyzer's further outputs; nothing may come out of those
   * of which nothing is said.
   *
   * @param rows in any order
   */
  public AnalyzerTester<I, O> expectIn(Output<TableBlock> output, String... rows) {
    return expectIn(output, AnalyzerTester::rows, rows);
  }

  /** The same for other blocks, with the way to print the rows of one. */
  public <B extends Block> AnalyzerTester<I, O> expectIn(
      Output<B> output, Function<B, List<String>> printed, String... rows) {
    outputs.put(output, new Expected<>(printed, Arrays.stream(rows).sorted().toList()));
    return this;
  }

  /**
   * Says what a counter of the analyzer must have come to in the end, all copies together and what
   * was made again counted once: rows that came late, say.
   */
  public AnalyzerTester<I, O> expectCounted(String counter, long count) {
    counters.put(counter, count);
    return this;
  }

  /** The rows of a block of a further output. */
  @SuppressWarnings("unchecked") // what was said of an output was said of its blocks
  private <B extends Block> List<String> print(Output<B> output, B block) {
    Expected<?> expected = outputs.get(output);
    if (expected == null) {
      throw new AssertionError(block.rows() + " rows in the output " + output.name());
    }
    return ((Expected<B>) expected).print().apply(block);
  }

  /**
   * Runs the analyzer in all ways.
   *
   * @param rows that must come out of the first output, in any order
   * @throws AssertionError at the first way that gives something else; says which, and the
   *     difference
   */
  public void expect(String... rows) {
    List<String> expected = Arrays.stream(rows).sorted().toList();
    for (boolean singleRows : new boolean[] {false, true}) {
      List<Event<I>> input = singleRows ? singleRows() : events;
      for (int every = 0; every <= 2; every++) {
        for (int subtasks : keys == null ? WITHOUT_KEYS : CHANGING) {
          for (boolean fullEveryOther : new boolean[] {false, true}) {
            Way way = new Way(singleRows, every, subtasks, fullEveryOther);
            run(way, input, expected);
          }
        }
      }
    }
  }

  private List<Event<I>> singleRows() {
    List<Event<I>> cut = new ArrayList<>();
    for (Event<I> event : events) {
      if (event.block == null) {
        cut.add(event);
      } else {
        IntStream.range(0, event.block.rows())
            .mapToObj(row -> event.block.select(new int[] {row}, 1))
            .forEach(row -> cut.add(new Event<>(row, Long.MIN_VALUE)));
      }
    }
    return cut;
  }

  private void run(Way way, List<Event<I>> input, List<String> expected) {
    try (Subtasks<I, O> run = new Subtasks<>(analyzer, keys, print, this::print, way)) {
      for (Event<I> event : input) {
        run.next(event);
      }
      run.next(new Event<>(null, Long.MAX_VALUE));
      check(way + "", expected, run.output());
      outputs.forEach(
          (output, rows) ->
              check(way + ", output " + output.name(), rows.rows(), run.output(output)));
      counters.forEach(
          (counter, count) -> {
            if (run.counted(counter) != count) {
              throw new AssertionError(
                  way + ", counter " + counter + ": " + run.counted(counter) + ", not " + count);
            }
          });
      if (!leavingState) {
        run.checkEmpty();
      }
    } catch (Exception e) {
      throw new AssertionError(way + ": " + e, e);
    }
  }

  private static void check(String way, List<String> expected, List<String> actual) {
    if (!actual.equals(expected)) {
      throw new AssertionError(
          way
              + "\n  missing:  "
              + without(expected, actual)
              + "\n  too much: "
              + without(actual, expected));
    }
  }

  private static List<String> without(List<String> all, List<String> others) {
    List<String> rest = new ArrayList<>(all);
    others.forEach(rest::remove);
    return rest;
  }

  /**
   * How an analyzer is run.
   *
   * @param restoredEvery after how many inputs it is restored; 0 for never
   * @param subtasks at the start; the next number of three at each restore
   */
  record Way(boolean singleRows, int restoredEvery, int subtasks, boolean fullEveryOther) {
    @Override
    public String toString() {
      return (singleRows ? "single rows" : "whole blocks")
          + ", "
          + (restoredEvery == 0
              ? "never restored"
              : "restored after every " + restoredEvery + ". input")
          + ", from "
          + subtasks
          + (subtasks == 1 ? " subtask on, " : " subtasks on, ")
          + (fullEveryOther ? "with room for every other block" : "with room for every block");
    }
  }
}
