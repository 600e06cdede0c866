package io.millrace.engine.operator;

import io.millrace.analytics.Step;
import java.io.Serializable;

/**
 * Makes an analyzer for each subtask, where the subtask runs. Travels with the job by Java
 * serialisation: it holds settings and paths, nothing that is open.
 *
 * @param <A> the kind of analyzer
 */
@FunctionalInterface
public interface AnalyzerFactory<A extends Step<?>> extends Serializable {
  /** A new analyzer, not opened. */
  A create(Subtask subtask) throws Exception;
}
