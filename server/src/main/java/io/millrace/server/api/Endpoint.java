package io.millrace.server.api;

/** Answers one kind of request: a translation to one call and back. Called by many threads. */
@FunctionalInterface
public interface Endpoint {
  /**
   * Answers.
   *
   * @throws ApiException for a request that cannot be answered
   * @throws Exception for a failure; the client gets status 500 and the message
   */
  void handle(Exchange exchange) throws Exception;
}
