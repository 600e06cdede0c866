package io.millrace.store.remote;

import io.millrace.store.FlowInlet;
import io.millrace.store.FlowSchema;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.time.Duration;

/**
 * The way into a table of a store that another process has open. One connection, which is not taken
 * up again when it breaks: every call fails from then on, and the job starts again from its last
 * checkpoint.
 */
public final class RemoteInlet implements FlowInlet {
  private final StoreConnection connection;
  private final BlockBuffer body = new BlockBuffer(64 << 10);
  private final Frontier committed;

  private RemoteInlet(StoreConnection connection, Frontier committed) {
    this.connection = connection;
    this.committed = committed;
  }

  /**
   * Connects and opens a table.
   *
   * @param host of the store
   * @param secret that the store asks for
   * @param table is made if there is none, columns that are missing are added
   * @param longestWait how long a row may wait before it is made visible
   * @param patience how long is tried to reach a store that does not answer, which may be starting
   * @throws io.millrace.store.StoreException if it is not reached within that time or refuses
   * @throws io.millrace.store.WrongSchemaException as {@link io.millrace.store.Store#table}
   */
  public static RemoteInlet open(
      String host,
      int port,
      StoreSecret secret,
      String table,
      FlowSchema schema,
      Duration longestWait,
      Duration patience) {
    StoreConnection connection = StoreConnection.open(host, port, secret, patience);
    try {
      BlockBuffer body = new BlockBuffer(256);
      StoreProtocol.putText(table, body);
      body.putLong(longestWait.toNanos());
      StoreProtocol.putSchema(schema, body);
      Frontier committed = connection.ask(StoreProtocol.OPEN, body).frontier();
      return new RemoteInlet(connection, committed);
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public Frontier committed() {
    return committed;
  }

  @Override
  public long rewind(long ticket, Frontier frontier) {
    body.clear();
    body.putLong(ticket);
    StoreProtocol.putFrontier(frontier, body);
    return connection.ask(StoreProtocol.REWIND, body).number();
  }

  @Override
  public void begin(long ticket) {
    body.clear();
    body.putLong(ticket);
    connection.ask(StoreProtocol.BEGIN, body);
  }

  @Override
  public void append(FlowBlock block) {
    body.clear();
    BlockCodec.encode(block, body);
    connection.send(StoreProtocol.APPEND, body);
  }

  @Override
  public void flush() {
    body.clear();
    connection.ask(StoreProtocol.FLUSH, body);
  }

  @Override
  public void committed(long checkpoint, Frontier frontier) {
    body.clear();
    body.putLong(checkpoint);
    StoreProtocol.putFrontier(frontier, body);
    connection.ask(StoreProtocol.COMMITTED, body);
  }

  /** Time of the newest row that is visible, µs since the epoch; see {@code FlowTable}. */
  public long newestMicros() {
    body.clear();
    return connection.ask(StoreProtocol.NEWEST, body).number();
  }

  @Override
  public void close() {
    connection.close();
  }
}
