/**
 * Where records of gateways come in: HTTP and WebSocket, on a listener of their own.
 *
 * <p>{@link io.millrace.server.ingest.IngestServer} listens. A request ({@code GatewayRequest}) or
 * a frame ({@code GatewaySocket}) is decoded and checked on the thread that read it, and its
 * records' bytes are added to what waits for their partitions ({@code Lane}); one thread gives each
 * partition one value at a time ({@code Lanes}). When the log has a value, all that were in it are
 * told. {@code ClientFrames} knows which frames of a client are in the log, so that frames that are
 * sent again are not written again.
 */
package io.millrace.server.ingest;
