/**
 * Client of the ingest server: sends records over HTTP or WebSocket, in JSON or Avro, and tracks
 * acknowledgements. Used by {@code millrace send gateways}, tests and benchmarks.
 */
package io.millrace.server.ingest.client;
