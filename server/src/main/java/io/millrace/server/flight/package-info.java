/**
 * Arrow Flight SQL server for JDBC, ADBC, DBeaver and Grafana.
 *
 * <p>{@link io.millrace.server.flight.FlightListener} listens; {@code SqlProducer} translates the
 * protocol's requests; {@code QueryStreams} runs queries and sends rows at the client's pace;
 * {@code TableList} lists tables. A statement's handle contains the complete statement, so the
 * server keeps no state between calls. SQL, limits, token and certificate are those of HTTP.
 */
package io.millrace.server.flight;
