/**
 * How many records of gateways come into the log over HTTP and WebSocket, acknowledged, with the
 * senders on the same machine; and what happens when they are faster than the stream job.
 */
package io.millrace.lab.ingest;
