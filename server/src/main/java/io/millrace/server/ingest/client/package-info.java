/**
 * The other side: sends records of gateways to an ingest server, over HTTP or WebSocket, in JSON or
 * Avro, and knows which of them are in the log. What {@code millrace send gateways}, tests and
 * benchmarks use.
 */
package io.millrace.server.ingest.client;
