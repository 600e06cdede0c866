package io.millrace.analytics.testing;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Selectable;
import io.millrace.wire.block.TableBlock;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

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
public final class AnalyzerTester<I extends Selectable<I>, O extends Block>
    extends StepTester<Analyzer<I, O>, O, AnalyzerTester<I, O>> {
  private final Event.Input<I, Analyzer<I, O>, O> input = new Event.Input<>(0, Analyzer::process);

  private AnalyzerTester(
      Supplier<? extends Analyzer<I, O>> analyzer, Function<O, List<String>> print) {
    super(analyzer, print, List.of(Arrival.AS_GIVEN));
  }

  /**
   * A tester of analyzers that give tables; a row is expected as its values with a blank between,
   * times in microseconds.
   *
   * @param analyzer makes a new one
   */
  public static <I extends Selectable<I>> AnalyzerTester<I, TableBlock> of(
      Supplier<? extends Analyzer<I, TableBlock>> analyzer) {
    return of(analyzer, StepTester::rows);
  }

  /** A tester of analyzers that give other blocks, with the way to print the rows of one. */
  public static <I extends Selectable<I>, O extends Block> AnalyzerTester<I, O> of(
      Supplier<? extends Analyzer<I, O>> analyzer, Function<O, List<String>> print) {
    return new AnalyzerTester<>(analyzer, print);
  }

  @Override
  AnalyzerTester<I, O> self() {
    return this;
  }

  @Override
  boolean isKeyed() {
    return input.keys != null;
  }

  /** Deals the rows out by these keys; for a {@link KeyedAnalyzer}. */
  public AnalyzerTester<I, O> keyedBy(RowKeys<I> rowKeys) {
    input.keys = rowKeys;
    return this;
  }

  /** The next input. Each run gets a copy. */
  public AnalyzerTester<I, O> feed(I block) {
    return add(new Event.BlockEvent<>(input, block));
  }
}
