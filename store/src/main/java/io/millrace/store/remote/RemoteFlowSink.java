package io.millrace.store.remote;

import io.millrace.store.StoreException;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.iceberg.TableFiles;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.NewNames;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Sink of a table of flows in a store that another process has open. If this process can write to
 * the directory of the table, it writes the files itself and reports them to the store; it sends
 * rows only to make them visible earlier. Otherwise it sends the rows, and the store writes the
 * files.
 */
public final class RemoteFlowSink extends RemoteSink<FlowBlock, Frontier> {
  /**
   * Null if the store writes the files. Used by the appending thread, and by the one that closes.
   */
  private volatile TableFiles.Rows rows;

  private boolean isTailWanted;
  private boolean isFlushed = true;

  /** Waits for sealed rows to be durable, one checkpoint at a time; null if {@link #rows} is. */
  private volatile ExecutorService syncing;

  /** Completes when all sealed rows are durable. */
  private volatile CompletableFuture<Void> synced = CompletableFuture.completedFuture(null);

  RemoteFlowSink(StoreConnection connection, BlockBuffer opening) {
    super(connection, StoreProtocol.OPEN, opening, StoreProtocol::putFrontier);
  }

  /** Frontier of the last completed checkpoint when the table was opened. */
  public Frontier committed() {
    return opened();
  }

  /** As {@link io.millrace.store.FlowTable#stored}. */
  public Frontier stored() {
    body.clear();
    return connection.request(StoreProtocol.STORED, body).frontier();
  }

  /** As {@link io.millrace.store.FlowTable#beginEpoch}. */
  public void beginEpoch(Frontier read, Frontier until, Frontier begin) {
    body.clear();
    StoreProtocol.putFrontier(read, body);
    StoreProtocol.putFrontier(until, body);
    StoreProtocol.putFrontier(begin, body);
    connection.request(StoreProtocol.BEGIN_EPOCH, body);
  }

  /** Whether this process writes the files; known after {@link #begin}. */
  public boolean writesFiles() {
    return rows != null;
  }

  @Override
  public void begin(long token, long checkpoint) {
    if (rows == null) {
      body.clear();
      openFiles(connection.request(StoreProtocol.DESCRIBE, body).bytes());
    }
    StoreConnection.Response response = begin(token, checkpoint, connection);
    if (rows != null) {
      rows.begin(response.frontier());
    }
  }

  private void openFiles(byte[] descriptor) {
    isTailWanted = descriptor[0] != 0;
    TableFiles.open(new String(descriptor, 1, descriptor.length - 1, StandardCharsets.UTF_8))
        .ifPresent(
            files -> {
              rows = files.rows(new Messages());
              syncing =
                  Executors.newSingleThreadExecutor(
                      task -> {
                        Thread thread = new Thread(task, "store-sync");
                        thread.setDaemon(true);
                        return thread;
                      });
              body.clear();
              connection.request(StoreProtocol.WRITE_FILES, body);
            });
  }

  /** Sends reports over the connection. */
  private final class Messages implements TableFiles.Reports {
    @Override
    public void ended(FlowPart part, long number) {
      BlockBuffer message = new BlockBuffer(Byte.BYTES + Long.BYTES);
      message.putByte(part.ordinal());
      message.putLong(number);
      connection.send(StoreProtocol.END_BUFFER, message);
    }

    @Override
    public void written(long number, BlockBuffer report) {
      BlockBuffer message = new BlockBuffer(Long.BYTES + report.length());
      message.putLong(number);
      message.put(report.bytes(), 0, report.length());
      connection.send(StoreProtocol.WRITTEN, message);
    }
  }

  @Override
  public void append(FlowBlock block) {
    TableFiles.Rows files = rows;
    if (files == null) {
      super.append(block);
      return;
    }
    files.makeRoom();
    synchronized (files) { // so that the store has the same rows in the same buffer
      isFlushed = false;
      body.clear();
      if (isTailWanted) {
        BlockCodec.encode(block, body);
      } else {
        BlockCodec.encodeWithoutRows(block, body);
      }
      connection.send(StoreProtocol.APPEND, body);
      if (block.names().size() > 0) {
        fetchIds(block.names(), files);
      }
      files.append(block);
    }
  }

  private void fetchIds(NewNames names, TableFiles.Rows files) {
    body.clear();
    for (int i = 0; i < names.size(); i++) {
      body.putLong(names.id(i));
    }
    byte[] bytes = connection.request(StoreProtocol.STORED_IDS, body).bytes();
    BlockInput stored = new BlockInput(bytes, 0, bytes.length);
    for (int i = 0; i < names.size(); i++) {
      files.canonical(names.id(i), stored.takeLong());
    }
  }

  @Override
  public void flush() {
    if (rows == null) {
      super.flush();
    } else if (!isFlushed) {
      await(rows.seal());
      body.clear();
      connection.request(StoreProtocol.FLUSH, body);
      isFlushed = true;
    }
  }

  @Override
  public void seal(long checkpoint, Frontier covered) {
    TableFiles.Rows files = rows;
    if (files == null) {
      super.seal(checkpoint, covered);
      return;
    }
    synchronized (files) {
      CompletableFuture<Void> written = files.seal();
      putCheckpoint(checkpoint, covered);
      connection.send(StoreProtocol.SEAL_FILES, body);
      isFlushed = true;
      // not in the threads of checkpoints: interrupting these would close the connection
      synced =
          CompletableFuture.allOf(synced, written)
              .thenRunAsync(
                  () -> connection.request(StoreProtocol.SYNC, new BlockBuffer(0)), syncing);
    }
  }

  @Override
  public void sync() {
    await(synced);
  }

  private static void await(CompletableFuture<Void> end) {
    try {
      end.join();
    } catch (CompletionException e) {
      // a copy with the stack trace of this thread
      throw e.getCause() instanceof RuntimeException cause
          ? StoreConnection.copy(cause)
          : new StoreException("cannot write rows: " + e.getCause(), e);
    }
  }

  @Override
  public void commit(long checkpoint, Frontier covered) {
    putCheckpoint(checkpoint, covered);
    connection.request(StoreProtocol.COMMIT, body);
  }

  /** Time of the newest visible row, µs since the epoch. */
  public long newestMicros() {
    body.clear();
    return connection.request(StoreProtocol.NEWEST, body).number();
  }

  @Override
  public void close() {
    super.close();
    if (rows != null) {
      rows.close();
      syncing.shutdown();
    }
  }
}
