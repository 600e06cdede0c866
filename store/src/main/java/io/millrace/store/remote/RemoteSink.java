package io.millrace.store.remote;

import io.millrace.store.FlowSchema;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Sink of a table in a store that another process has open. It never reopens its connection: after
 * a disconnect every call fails, and the job restarts from its last checkpoint. Flushed rows
 * survive a power failure.
 */
public sealed class RemoteSink<B extends Block, P> implements BlockSink<B, P>
    permits RemoteFlowSink {
  final StoreConnection connection;

  /** Used by the appending thread. */
  final BlockBuffer body = new BlockBuffer(64 << 10);

  private final Frontier opened;
  private final BiConsumer<P, BlockBuffer> covering;
  private boolean isFlushed = true;

  RemoteSink(
      StoreConnection connection,
      int opening,
      BlockBuffer body,
      BiConsumer<P, BlockBuffer> covering) {
    this.connection = connection;
    this.covering = covering;
    try {
      opened = connection.request(opening, body).frontier();
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /**
   * Connects and opens a table of flows.
   *
   * @param host of the store
   * @param secret that the store requires
   * @param table created if missing; missing columns are added
   * @param timeout how long to retry while the store does not respond, since it may be starting
   * @throws io.millrace.store.StoreException if the store does not respond in time, or rejects
   * @throws io.millrace.store.WrongSchemaException as {@link io.millrace.store.Store#table}
   */
  public static RemoteFlowSink open(
      String host,
      int port,
      StoreSecret secret,
      String table,
      FlowSchema schema,
      Duration timeout) {
    BlockBuffer body = new BlockBuffer(256);
    StoreProtocol.putText(table, body);
    StoreProtocol.putSchema(schema, body);
    return new RemoteFlowSink(StoreConnection.open(host, port, secret, timeout), body);
  }

  /**
   * Connects and opens a table of results; other parameters and exceptions as above.
   *
   * @param key columns by which a row replaces an earlier one; empty to only add rows
   */
  public static RemoteSink<TableBlock, Long> open(
      String host,
      int port,
      StoreSecret secret,
      String table,
      TableSchema schema,
      List<String> key,
      Duration timeout) {
    BlockBuffer body = new BlockBuffer(256);
    StoreProtocol.putText(table, body);
    StoreProtocol.putSchema(schema, body);
    StoreProtocol.putKey(key, body);
    return new RemoteSink<>(
        StoreConnection.open(host, port, secret, timeout),
        StoreProtocol.OPEN_RESULTS,
        body,
        (checkpoint, out) -> out.putLong(checkpoint));
  }

  /** The store's response when the table was opened. */
  final Frontier opened() {
    return opened;
  }

  @Override
  public void rewind(long token, P covered) {
    body.clear();
    body.putLong(token);
    covering.accept(covered, body);
    connection.request(StoreProtocol.REWIND, body);
  }

  @Override
  public void begin(long token, long checkpoint) {
    var unused = begin(token, checkpoint, connection);
  }

  final StoreConnection.Response begin(long token, long checkpoint, StoreConnection to) {
    body.clear();
    body.putLong(token);
    body.putLong(checkpoint);
    return to.request(StoreProtocol.BEGIN, body);
  }

  @Override
  public void append(B block) {
    body.clear();
    BlockCodec.encode(block, body);
    isFlushed = false;
    connection.send(StoreProtocol.APPEND, body);
  }

  @Override
  public void flush() {
    if (!isFlushed) {
      body.clear();
      connection.request(StoreProtocol.FLUSH, body);
      isFlushed = true;
    }
  }

  @Override
  public void seal(long checkpoint, P covered) {
    putCheckpoint(checkpoint, covered);
    connection.request(StoreProtocol.SEAL, body);
    isFlushed = true;
  }

  final void putCheckpoint(long checkpoint, P covered) {
    body.clear();
    body.putLong(checkpoint);
    covering.accept(covered, body);
  }

  @Override
  public void close() {
    connection.close();
  }
}
