package io.millrace.store.remote;

import io.millrace.store.FlowSchema;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.FlowBlock;
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
public final class RemoteSink<B extends Block, P> implements BlockSink<B, P> {
  private final StoreConnection connection;
  private final BlockBuffer body = new BlockBuffer(64 << 10);
  private final Frontier committed;
  private final boolean isOfFlows;
  private final BiConsumer<P, BlockBuffer> covering;
  private boolean isFlushed = true;

  private RemoteSink(
      StoreConnection connection,
      int opening,
      BlockBuffer body,
      BiConsumer<P, BlockBuffer> covering) {
    this.connection = connection;
    this.covering = covering;
    isOfFlows = opening == StoreProtocol.OPEN;
    try {
      committed = connection.ask(opening, body).frontier();
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
  public static RemoteSink<FlowBlock, Frontier> open(
      String host,
      int port,
      StoreSecret secret,
      String table,
      FlowSchema schema,
      Duration timeout) {
    BlockBuffer body = new BlockBuffer(256);
    StoreProtocol.putText(table, body);
    StoreProtocol.putSchema(schema, body);
    return new RemoteSink<>(
        StoreConnection.open(host, port, secret, timeout),
        StoreProtocol.OPEN,
        body,
        StoreProtocol::putFrontier);
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

  /** What the last completed checkpoint covered of a table of flows when it was opened. */
  public Frontier committed() {
    return committed;
  }

  /** As {@link io.millrace.store.FlowTable#stored}; for a table of flows. */
  public Frontier stored() {
    body.clear();
    return connection.ask(StoreProtocol.STORED, body).frontier();
  }

  /** As {@link io.millrace.store.FlowTable#beginEpoch}; for a table of flows. */
  public void beginEpoch(Frontier read, Frontier until, Frontier begin) {
    body.clear();
    StoreProtocol.putFrontier(read, body);
    StoreProtocol.putFrontier(until, body);
    StoreProtocol.putFrontier(begin, body);
    connection.ask(StoreProtocol.BEGIN_EPOCH, body);
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
    body.clear();
    body.putLong(token);
    body.putLong(checkpoint);
    connection.ask(StoreProtocol.BEGIN, body);
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
    body.clear();
    body.putLong(checkpoint);
    covering.accept(covered, body);
    connection.ask(StoreProtocol.SEAL, body);
    isFlushed = true;
  }

  @Override
  public void commit(long checkpoint, P covered) {
    if (isOfFlows) {
      body.clear();
      body.putLong(checkpoint);
      covering.accept(covered, body);
      connection.ask(StoreProtocol.COMMIT, body);
    }
  }

  /** Time of the newest visible row of a table of flows, µs since the epoch. */
  public long newestMicros() {
    body.clear();
    return connection.ask(StoreProtocol.NEWEST, body).number();
  }

  @Override
  public void close() {
    connection.close();
  }
}
