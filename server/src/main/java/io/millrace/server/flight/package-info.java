/**
 * The listener for Arrow Flight SQL: JDBC, ADBC, DBeaver and Grafana ask here.
 *
 * <p>{@link io.millrace.server.flight.FlightListener} listens; {@code SqlProducer} translates the
 * protocol's requests; {@code QueryStreams} runs queries and sends their rows as fast as each
 * client takes them; {@code TableList} tells what tables there are. A statement is known by its
 * handle, which holds all of it, so nothing is kept here between two calls, and nothing is left
 * behind by clients that go away. It is the same SQL under the same limits, token and certificate
 * as over HTTP.
 */
package io.millrace.server.flight;
