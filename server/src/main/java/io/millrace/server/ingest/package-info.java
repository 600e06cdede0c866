/**
 * HTTP and WebSocket listener for records of streams.
 *
 * <p>{@link io.millrace.server.ingest.IngestServer} listens. A request ({@code IngestRequest}) or
 * frame ({@code RecordSocket}) is decoded on the thread that read it, and its records are added to
 * the queues of their partitions ({@code Lane}); one thread writes one value at a time to each
 * ({@code Lanes}) and acknowledges its records once it is in the log. {@code ClientFrames} tracks
 * the logged frames of a client, to drop duplicates.
 */
package io.millrace.server.ingest;
