package io.millrace.analytics.testing;

import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.TwoInputAnalyzer;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Selectable;
import io.millrace.wire.block.TableBlock;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs an analyzer of two inputs in all the ways of an {@link AnalyzerTester}, and each of them
 * with the blocks between two watermarks as they are given, with all of the first input in front of
 * the second, and the other way round: which input an engine reads first is chance.
 *
 * <pre>{@code
 * TwoInputTester.of(Signals::new)
 *     .keyedBy(Usage.KEYS, Event.KEYS)
 *     .feedFirst(usage)
 *     .feedSecond(events)
 *     .watermark(60_000_000)
 *     .inAnyOrder()
 *     .expect("7 video.example");
 * }</pre>
 *
 * @param <F> the blocks of the first input
 * @param <S> the blocks of the second input
 * @param <O> the blocks that come out
 */
public final class TwoInputTester<F extends Selectable<F>, S extends Selectable<S>, O extends Block>
    extends StepTester<TwoInputAnalyzer<F, S, O>, O, TwoInputTester<F, S, O>> {
  private final Event.Input<F, TwoInputAnalyzer<F, S, O>, O> first =
      new Event.Input<>(0, TwoInputAnalyzer::processFirst);
  private final Event.Input<S, TwoInputAnalyzer<F, S, O>, O> second =
      new Event.Input<>(1, TwoInputAnalyzer::processSecond);

  private TwoInputTester(
      Supplier<? extends TwoInputAnalyzer<F, S, O>> analyzer, Function<O, List<String>> print) {
    super(
        analyzer,
        print,
        List.of(Arrival.AS_GIVEN, Arrival.FIRST_INPUT_FIRST, Arrival.SECOND_INPUT_FIRST));
  }

  /**
   * A tester of analyzers that give tables; a row is expected as its values with a blank between,
   * times in microseconds.
   *
   * @param analyzer makes a new one
   */
  public static <F extends Selectable<F>, S extends Selectable<S>>
      TwoInputTester<F, S, TableBlock> of(
          Supplier<? extends TwoInputAnalyzer<F, S, TableBlock>> analyzer) {
    return of(analyzer, StepTester::rows);
  }

  /** A tester of analyzers that give other blocks, with the way to print the rows of one. */
  public static <F extends Selectable<F>, S extends Selectable<S>, O extends Block>
      TwoInputTester<F, S, O> of(
          Supplier<? extends TwoInputAnalyzer<F, S, O>> analyzer, Function<O, List<String>> print) {
    return new TwoInputTester<>(analyzer, print);
  }

  @Override
  TwoInputTester<F, S, O> self() {
    return this;
  }

  @Override
  boolean isKeyed() {
    return first.keys != null;
  }

  /** Deals the rows of both inputs out by these keys. */
  public TwoInputTester<F, S, O> keyedBy(RowKeys<F> ofFirst, RowKeys<S> ofSecond) {
    first.keys = ofFirst;
    second.keys = ofSecond;
    return this;
  }

  /** The next block of the first input. Each run gets a copy. */
  public TwoInputTester<F, S, O> feedFirst(F block) {
    return add(new Event.BlockEvent<>(first, block));
  }

  /** The next block of the second input. Each run gets a copy. */
  public TwoInputTester<F, S, O> feedSecond(S block) {
    return add(new Event.BlockEvent<>(second, block));
  }
}
