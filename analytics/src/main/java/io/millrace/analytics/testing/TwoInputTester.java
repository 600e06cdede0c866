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
 * Test harness for analyzers of two inputs. It runs them in all the ways of an {@link
 * AnalyzerTester}, each with the blocks between two watermarks as given, with all of the first
 * input before the second, and vice versa, since an engine may read either input first.
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
 * @param <F> blocks of the first input
 * @param <S> blocks of the second input
 * @param <O> output blocks
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
   * A tester of analyzers that emit tables; an expected row is its values separated by blanks,
   * times in microseconds.
   *
   * @param analyzer creates a new one
   */
  public static <F extends Selectable<F>, S extends Selectable<S>>
      TwoInputTester<F, S, TableBlock> of(
          Supplier<? extends TwoInputAnalyzer<F, S, TableBlock>> analyzer) {
    return of(analyzer, StepTester::rows);
  }

  /** A tester of analyzers that emit other blocks, with a function that prints the rows of one. */
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

  /** Partitions the rows of both inputs by these keys. */
  public TwoInputTester<F, S, O> keyedBy(RowKeys<F> ofFirst, RowKeys<S> ofSecond) {
    first.keys = ofFirst;
    second.keys = ofSecond;
    return this;
  }

  /** Adds a block of the first input. Each run gets a copy. */
  public TwoInputTester<F, S, O> feedFirst(F block) {
    return add(new Event.BlockEvent<>(first, block));
  }

  /** Adds a block of the second input. Each run gets a copy. */
  public TwoInputTester<F, S, O> feedSecond(S block) {
    return add(new Event.BlockEvent<>(second, block));
  }
}
