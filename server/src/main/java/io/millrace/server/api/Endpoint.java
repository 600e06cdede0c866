package io.millrace.server.api;

/** Handles one kind of request by one call. Called by many threads. */
@FunctionalInterface
public interface Endpoint {
  /**
   * Handles a request.
   *
   * @throws ApiException with the status of the error response
   * @throws Exception for any other error; the client gets status 500 and the message
   */
  void handle(Exchange exchange) throws Exception;
}
