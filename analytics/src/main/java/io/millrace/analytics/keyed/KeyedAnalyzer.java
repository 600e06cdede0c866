package io.millrace.analytics.keyed;

import io.millrace.analytics.Analyzer;
import io.millrace.wire.block.Block;

/**
 * An {@link Analyzer} with keyed state.
 *
 * @param <I> input blocks
 * @param <O> output blocks
 */
public interface KeyedAnalyzer<I extends Block, O extends Block>
    extends Analyzer<I, O>, KeyedState {}
