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
 * The sink of a table in a store that another process has open. It has one connection, which it
 * never reopens: after it broke every call fails, and the job starts again from its last
 * checkpoint. Flushed rows are synced.
 */
public sealed class RemoteSink<B extends Block, P> implements BlockSink<B, P>
    permits RemoteFlowSink {
  final StoreConnection connection;

  /** By the thread that appends. */
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
      opened = connection.ask(opening, body).frontier();
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /**
   * Connects and opens a table of flows.
   *
   * @param host of the store
   * @param secret that the store asks for
   * @param table is made if there is none, columns that are missing are added
   * @param timeout how long is tried to reach a store that does not answer, which may be starting
   * @throws io.millrace.store.StoreException if it is not reached within that time or rejects
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
   * Connects and opens a table of results; arguments and errors as above.
   *
   * @param key columns of which a row takes the place of an earlier one; none to add rows only
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

  /** What the store answered to the opening. */
  final Frontier opened() {
    return opened;
  }

  @Override
  public void rewind(long token, P covered) {
    body.clear();
    body.putLong(token);
    covering.accept(covered, body);
    connection.ask(StoreProtocol.REWIND, body);
  }

  @Override
  public void begin(long token, long checkpoint) {
    var unused = begin(token, checkpoint, connection);
  }

  final StoreConnection.Answer begin(long token, long checkpoint, StoreConnection to) {
    body.clear();
    body.putLong(token);
    body.putLong(checkpoint);
    return to.ask(StoreProtocol.BEGIN, body);
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
      connection.ask(StoreProtocol.FLUSH, body);
      isFlushed = true;
    }
  }

  @Override
  public void seal(long checkpoint, P covered) {
    putCheckpoint(checkpoint, covered);
    connection.ask(StoreProtocol.SEAL, body);
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
