package io.millrace.server.api;

/** Handler of one kind of request. Thread-safe. */
@FunctionalInterface
public interface Endpoint {
  /**
   * Handles a request.
   *
   * @throws ApiException with the status of the error response
   * @throws Exception on any other error; the client gets status 500 and the message
   */
  void handle(Exchange exchange) throws Exception;
}
