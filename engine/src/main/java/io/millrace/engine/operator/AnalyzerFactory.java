package io.millrace.engine.operator;

import io.millrace.analytics.Step;
import java.io.Serializable;

/**
 * Creates an analyzer for each subtask, on its TaskManager. Java-serialised with the job: it holds
 * settings and paths, no open resources.
 *
 * @param <A> the kind of analyzer
 */
@FunctionalInterface
public interface AnalyzerFactory<A extends Step<?>> extends Serializable {
  /** A new analyzer, not opened. */
  A create(Subtask subtask) throws Exception;
}
