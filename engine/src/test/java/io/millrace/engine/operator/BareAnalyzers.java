package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.wire.block.Block;
import java.util.Optional;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;

/** The hosting operator without a job, for tests of other packages. */
public final class BareAnalyzers {
  private BareAnalyzers() {}

  /** Creates the operator that {@link Analyzers} adds to a job. */
  public static <I extends Block, O extends Block> OneInputStreamOperatorFactory<I, O> factory(
      AnalyzerFactory<? extends Analyzer<I, O>> analyzer) {
    return new StepOperatorFactory.OneInput<>(analyzer, Hosting.of(Optional.empty(), analyzer));
  }
}
