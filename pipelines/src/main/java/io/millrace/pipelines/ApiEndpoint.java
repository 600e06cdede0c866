package io.millrace.pipelines;

import io.millrace.store.Store;
import java.util.Optional;

/**
 * An API endpoint of a pipeline: {@code GET /api/v1/PIPELINE/PATH}. Returns 404 if the pipeline is
 * not enabled.
 *
 * @param path without a leading slash; empty for {@code GET /api/v1/PIPELINE}
 * @param handler computes the response
 */
public record ApiEndpoint(String path, Handler handler) {
  /** Handler of requests. Thread-safe. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Computes the response, as maps, lists and JSON values.
     *
     * @throws IllegalArgumentException if a parameter is invalid; the message has name, value and
     *     allowed range
     * @throws io.millrace.store.QueryException if the store cannot execute the query
     */
    Object handle(Parameters parameters, Store store);
  }

  /** Query parameters of a request. */
  public interface Parameters {
    /** Value of a parameter, possibly the empty string; empty if missing. */
    Optional<String> get(String name);

    /**
     * An integer parameter.
     *
     * @param fallback default value
     * @param min inclusive
     * @param max inclusive
     * @throws RuntimeException if it is invalid; the API responds with 400
     */
    int intParameter(String name, int fallback, int min, int max);
  }
}
