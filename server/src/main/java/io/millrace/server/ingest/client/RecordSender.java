package io.millrace.server.ingest.client;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayRecords;
import java.io.IOException;

/** Sends records to an ingest server and tracks acknowledgements. Used by one thread. */
public interface RecordSender extends AutoCloseable {
  /**
   * Outcome of the records.
   *
   * @param sent records in sent requests or frames, each counted once
   * @param accepted records in the log
   * @param rejected invalid records
   * @param attempts resent requests or frames
   */
  record Counts(long sent, long accepted, long rejected, long attempts) {}

  /**
   * Sends a row of {@link GatewayRecords}, with its batch. Blocks while too many batches are in
   * flight.
   *
   * @throws IOException if the server was unreachable for too long or rejects the connection
   */
  void send(TableBlock block, int row) throws IOException, InterruptedException;

  /**
   * Sends encoded records as one request or frame.
   *
   * @param payload owned by this sender from now on
   * @throws IOException if the server was unreachable for too long or rejects the connection
   */
  void send(byte[] payload, int records) throws IOException, InterruptedException;

  /** Sends an incomplete batch. */
  void push() throws IOException, InterruptedException;

  /** Sends all records and waits until they are settled. */
  void finish() throws IOException, InterruptedException;

  /** Outcome of the records so far. */
  Counts counts();

  /** Message of the server about the first invalid record; empty if there is none. */
  String firstError();

  @Override
  void close();

  /** Creates a sender, which connects on the first record. */
  static RecordSender of(SendConfig config) {
    return switch (config.protocol()) {
      case HTTP -> new RequestSender(config);
      case WEBSOCKET -> new FrameSender(config);
    };
  }
}
