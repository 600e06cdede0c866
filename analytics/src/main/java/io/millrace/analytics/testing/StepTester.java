package io.millrace.analytics.testing;

import io.millrace.analytics.Output;
import io.millrace.analytics.Step;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Common part of testers of steps with one and with two inputs: expectations, and the ways in which
 * a step is run. {@link AnalyzerTester} and {@link TwoInputTester} describe them.
 *
 * @param <A> the step
 * @param <O> output blocks
 * @param <T> the tester itself
 */
public abstract sealed class StepTester<A extends Step<O>, O extends Block, T>
    permits AnalyzerTester, TwoInputTester {
  private static final int[] WITHOUT_KEYS = {1};
  private static final int[] CHANGING = {1, 2, 3};

  private final Supplier<? extends A> step;
  private final Function<O, List<String>> print;
  private final List<Arrival> arrivals;
  private final List<Event<A, O>> events = new ArrayList<>();
  private final Map<Output<?>, Expectation<?>> outputs = new LinkedHashMap<>();
  private final Map<String, Long> counters = new LinkedHashMap<>();
  private boolean leavingState;

  private record Expectation<B>(Function<B, List<String>> print, List<String> rows) {}

  StepTester(Supplier<? extends A> step, Function<O, List<String>> print, List<Arrival> arrivals) {
    this.step = step;
    this.print = print;
    this.arrivals = new ArrayList<>(arrivals);
  }

  abstract T self();

  abstract boolean isKeyed();

  final T add(Event<A, O> event) {
    events.add(event);
    return self();
  }

  static List<String> rows(TableBlock block) {
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

  /** Adds a watermark of {@code micros}. */
  public T watermark(long micros) {
    return add(new Event.TimeEvent<>(micros));
  }

  /**
   * Requires that the order of blocks between two watermarks does not matter: also passes them
   * reversed and shuffled. For steps that wait for the watermark.
   */
  public T inAnyOrder() {
    arrivals.add(Arrival.BACKWARDS);
    arrivals.add(Arrival.SHUFFLED);
    return self();
  }

  /** Allows state at the end of the input. */
  public T leavingState() {
    leavingState = true;
    return self();
  }

  /**
   * Sets the expected rows of a side output; others must be empty.
   *
   * @param rows in any order
   */
  public T expectIn(Output<TableBlock> output, String... rows) {
    return expectIn(output, StepTester::rows, rows);
  }

  /**
   * Sets the expected rows of a side output of other blocks, with a function that prints the rows
   * of one.
   */
  public <B extends Block> T expectIn(
      Output<B> output, Function<B, List<String>> printed, String... rows) {
    outputs.put(output, new Expectation<>(printed, Arrays.stream(rows).sorted().toList()));
    return self();
  }

  /**
   * Sets the expected final value of a counter, as the sum over all subtasks, with reprocessed
   * input counted once; for example of late rows.
   */
  public T expectCounted(String counter, long count) {
    counters.put(counter, count);
    return self();
  }

  @SuppressWarnings("unchecked") // the expectation was declared for this type of blocks
  private <B extends Block> List<String> print(Output<B> output, B block) {
    Expectation<?> expected = outputs.get(output);
    if (expected == null) {
      throw new AssertionError(block.rows() + " rows in the side output " + output.name());
    }
    return ((Expectation<B>) expected).print().apply(block);
  }

  /**
   * Runs the analyzer in all ways.
   *
   * @param rows expected in the first output, in any order
   * @throws AssertionError for the first way with another result; the message has the way and the
   *     difference
   */
  public void expect(String... rows) {
    List<String> expected = Arrays.stream(rows).sorted().toList();
    for (Arrival arrival : arrivals) {
      for (boolean singleRows : new boolean[] {false, true}) {
        List<Event<A, O>> input = arrival.of(singleRows ? singleRows() : events);
        for (int every = 0; every <= 2; every++) {
          for (int subtasks : isKeyed() ? CHANGING : WITHOUT_KEYS) {
            for (boolean fullEveryOther : new boolean[] {false, true}) {
              run(new Way(arrival, singleRows, every, subtasks, fullEveryOther), input, expected);
            }
          }
        }
      }
    }
  }

  private List<Event<A, O>> singleRows() {
    return events.stream().flatMap(event -> event.singleRows().stream()).toList();
  }

  private void run(Way way, List<Event<A, O>> input, List<String> expected) {
    try (Subtasks<A, O> run = new Subtasks<>(step, print, this::print, way)) {
      for (Event<A, O> event : input) {
        run.next(event);
      }
      run.next(new Event.TimeEvent<>(Long.MAX_VALUE));
      check(way + "", expected, run.output());
      outputs.forEach(
          (output, rows) ->
              check(way + ", output " + output.name(), rows.rows(), run.output(output)));
      counters.forEach(
          (counter, count) -> {
            if (run.counted(counter) != count) {
              throw new AssertionError(
                  way
                      + ", counter "
                      + counter
                      + ": "
                      + run.counted(counter)
                      + ", expected "
                      + count);
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
              + "\n  unexpected: "
              + without(actual, expected));
    }
  }

  private static List<String> without(List<String> all, List<String> others) {
    List<String> rest = new ArrayList<>(all);
    others.forEach(rest::remove);
    return rest;
  }

  /** {@code restoredEvery}: number of inputs between restores, 0 for never. */
  record Way(
      Arrival arrival,
      boolean singleRows,
      int restoredEvery,
      int subtasks,
      boolean fullEveryOther) {
    @Override
    public String toString() {
      return (singleRows ? "single rows" : "whole blocks")
          + ", "
          + (restoredEvery == 0
              ? "never restored"
              : "restored after "
                  + (restoredEvery == 1 ? "every input" : restoredEvery + " inputs"))
          + ", from "
          + subtasks
          + (subtasks == 1 ? " subtask on, " : " subtasks on, ")
          + (fullEveryOther ? "with back-pressure at every other offer" : "without back-pressure")
          + (arrival == Arrival.AS_GIVEN
              ? ""
              : ", " + arrival.name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }
  }
}
