package io.millrace.store.remote;

import io.millrace.store.ResultInlet;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.time.Duration;
import java.util.List;

/**
 * The way into a table of results of a store that another process has open. One connection, which
 * is not taken up again when it breaks, as that of a {@link RemoteInlet}.
 */
public final class RemoteResultInlet implements ResultInlet {
  private final StoreConnection connection;
  private final BlockBuffer body = new BlockBuffer(4 << 10);

  private RemoteResultInlet(StoreConnection connection) {
    this.connection = connection;
  }

  /** As below, for a table to which rows are only added. */
  public static RemoteResultInlet open(
      String host,
      int port,
      StoreSecret secret,
      String table,
      TableSchema schema,
      Duration patience) {
    return open(host, port, secret, table, schema, List.of(), patience);
  }

  /**
   * Connects and opens a table.
   *
   * @param host of the store
   * @param secret that the store asks for
   * @param table is made if there is none, columns that are missing are added
   * @param key columns of which a row takes the place of an earlier one; none to add rows only
   * @param patience how long is tried to reach a store that does not answer, which may be starting
   * @throws io.millrace.store.StoreException if it is not reached within that time or refuses
   * @throws io.millrace.store.WrongSchemaException as {@link io.millrace.store.Store#results}
   */
  public static RemoteResultInlet open(
      String host,
      int port,
      StoreSecret secret,
      String table,
      TableSchema schema,
      List<String> key,
      Duration patience) {
    StoreConnection connection = StoreConnection.open(host, port, secret, patience);
    try {
      BlockBuffer body = new BlockBuffer(256);
      StoreProtocol.putText(table, body);
      StoreProtocol.putSchema(schema, body);
      StoreProtocol.putKey(key, body);
      connection.ask(StoreProtocol.OPEN_RESULTS, body);
      return new RemoteResultInlet(connection);
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public long rewind(long ticket, long checkpoint) {
    body.clear();
    body.putLong(ticket);
    body.putLong(checkpoint);
    return connection.ask(StoreProtocol.REWIND, body).number();
  }

  @Override
  public void begin(long ticket) {
    body.clear();
    body.putLong(ticket);
    connection.ask(StoreProtocol.BEGIN, body);
  }

  @Override
  public void append(TableBlock block, long checkpoint) {
    body.clear();
    body.putLong(checkpoint);
    BlockCodec.encode(block, body);
    connection.send(StoreProtocol.APPEND, body);
  }

  @Override
  public void flush() {
    body.clear();
    connection.ask(StoreProtocol.FLUSH, body);
  }

  @Override
  public void close() {
    connection.close();
  }
}
