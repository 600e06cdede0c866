package io.millrace.server.api;

import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Pipeline;
import io.millrace.store.QueryException;
import io.millrace.store.Store;
import java.io.IOException;

/**
 * {@code GET /api/v1/PIPELINE/…}: a query on the results of a pipeline; 404 if it is not enabled.
 */
public final class PipelineEndpoint implements Endpoint {
  private final Pipeline pipeline;
  private final ApiEndpoint endpoint;
  private final Store store;

  /**
   * Creates the endpoint of a pipeline's query.
   *
   * @param store store with the tables of the pipeline, if it is enabled
   */
  public PipelineEndpoint(Pipeline pipeline, ApiEndpoint endpoint, Store store) {
    this.pipeline = pipeline;
    this.endpoint = endpoint;
    this.store = store;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    if (!pipeline.enabled()) {
      String name = pipeline.name();
      throw new ApiException(404, name + " is not enabled; set " + name + ".enabled: true");
    }
    try {
      exchange.respond(endpoint.handler().handle(exchange, store));
    } catch (QueryException e) {
      throw ApiException.of(e);
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    }
  }
}
