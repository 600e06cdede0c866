/**
 * Benchmarks of ingest over HTTP and WebSocket, with the senders on the same machine, also with
 * senders that are faster than the stream job.
 */
package io.millrace.lab.ingest;
