package io.millrace.server.ingest.client;

import io.millrace.wire.block.GatewayBlock;
import java.io.IOException;

/** Sends records and hears which are in the log. Used by one thread. */
public interface GatewaySender extends AutoCloseable {
  /**
   * What became of the records.
   *
   * @param sent records in requests or frames that were sent, each counted once
   * @param accepted records that the log has
   * @param refused records that the server called wrong
   * @param attempts requests or frames that were sent again
   */
  record Counts(long sent, long accepted, long refused, long attempts) {}

  /**
   * Sends a row, at once or with the next ones of its batch. Waits while too many are in flight.
   *
   * @throws IOException if the server was out of reach for too long, or refuses to listen
   */
  void send(GatewayBlock block, int row) throws IOException, InterruptedException;

  /**
   * Sends records that are encoded already, in one request or frame.
   *
   * @param payload given away
   * @throws IOException as above
   */
  void send(byte[] payload, int records) throws IOException, InterruptedException;

  /** Sends what waits for its batch to fill. */
  void push() throws IOException, InterruptedException;

  /** Sends all and waits until all is settled. */
  void finish() throws IOException, InterruptedException;

  /** What became of the records so far. */
  Counts counts();

  /** What the server said against the first wrong record; empty if nothing. */
  String complaint();

  @Override
  void close();

  /** A sender; nothing is connected before the first record. */
  static GatewaySender of(SendConfig config) {
    return switch (config.protocol()) {
      case HTTP -> new RequestSender(config);
      case WEBSOCKET -> new FrameSender(config);
    };
  }
}
