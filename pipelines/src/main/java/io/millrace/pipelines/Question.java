package io.millrace.pipelines;

import io.millrace.store.Store;
import java.util.Optional;

/**
 * A question that the API answers for a pipeline: {@code GET /api/v1/PIPELINE/PATH}. Where the
 * pipeline is not enabled the answer is 404.
 *
 * @param path without a slash in front; empty for {@code GET /api/v1/PIPELINE}
 * @param answer finds it
 */
public record Question(String path, Answer answer) {
  /** Finds the answer. Called by many threads. */
  @FunctionalInterface
  public interface Answer {
    /**
     * The answer, as maps, lists and values that JSON has.
     *
     * @throws IllegalArgumentException if a parameter is wrong; says which, what it is and what is
     *     allowed
     * @throws io.millrace.store.QueryException if the store cannot answer
     */
    Object of(Parameters parameters, Store store);
  }

  /** Parameters of a request, as they stand behind its question mark. */
  public interface Parameters {
    /** A parameter, if it is there, also an empty one. */
    Optional<String> given(String name);

    /**
     * A parameter that is a whole number.
     *
     * @param fallback where it is not there
     * @param min inclusive
     * @param max inclusive
     * @throws RuntimeException if it is something else, which the API answers with 400
     */
    int intParameter(String name, int fallback, int min, int max);
  }
}
