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
 * Test harness that runs an analyzer in all the ways in which an engine may run it, and compares
 * each with the expected output:
 *
 * <ul>
 *   <li>blocks as given, and split into single rows;
 *   <li>restored never, after every block, and after every other one, each time from a snapshot
 *       that is serialised only after further processing;
 *   <li>with one, two and three subtasks, changing at each restore;
 *   <li>without back-pressure, and with back-pressure at every other offer.
 * </ul>
 *
 * {@link #watermark} sets the watermark, which a restore keeps. A final watermark ends the input;
 * then no state must be left. The order of rows is not compared.
 *
 * <pre>{@code
 * AnalyzerTester.of(PacketsByCountry::new)
 *     .keyedBy(PacketsByCountry.KEYS)
 *     .feed(block)
 *     .watermark(60_000_000)
 *     .expect("0 DE 17", "0 FR 4");
 * }</pre>
 *
 * @param <I> input blocks
 * @param <O> output blocks
 */
public final class AnalyzerTester<I extends Selectable<I>, O extends Block>
    extends StepTester<Analyzer<I, O>, O, AnalyzerTester<I, O>> {
  private final Event.Input<I, Analyzer<I, O>, O> input = new Event.Input<>(0, Analyzer::process);

  private AnalyzerTester(
      Supplier<? extends Analyzer<I, O>> analyzer, Function<O, List<String>> print) {
    super(analyzer, print, List.of(Arrival.AS_GIVEN));
  }

  /**
   * A tester of analyzers that emit tables; an expected row is its values separated by blanks,
   * times in microseconds.
   *
   * @param analyzer creates a new one
   */
  public static <I extends Selectable<I>> AnalyzerTester<I, TableBlock> of(
      Supplier<? extends Analyzer<I, TableBlock>> analyzer) {
    return of(analyzer, StepTester::rows);
  }

  /** A tester of analyzers that emit other blocks, with a function that prints the rows of one. */
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

  /** Partitions the rows by these keys; for a {@link KeyedAnalyzer}. */
  public AnalyzerTester<I, O> keyedBy(RowKeys<I> rowKeys) {
    input.keys = rowKeys;
    return this;
  }

  /** Adds an input block. Each run gets a copy. */
  public AnalyzerTester<I, O> feed(I block) {
    return add(new Event.BlockEvent<>(input, block));
  }
}
