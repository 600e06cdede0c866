/**
 * HTTP and WebSocket listener for records of streams.
 *
 * <p>{@link io.millrace.server.ingest.IngestServer} listens. The thread that reads a request
 * ({@code IngestRequest}) or frame ({@code RecordSocket}) decodes it, and adds the records to the
 * queues of their partitions ({@code Lane}). One thread ({@code Lanes}) writes the values of all
 * queues, one value at a time per partition, and records are acknowledged when their value is in
 * the log. {@code ClientFrames} tracks the logged frames of a client, to drop duplicates.
 */
package io.millrace.server.ingest;
