package io.millrace.store.remote;

import io.millrace.pulse.PeriodicTask;
import io.millrace.pulse.Pulse;
import io.millrace.store.Store;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP server that makes the tables of a store available to writers in other processes. Each
 * connection has a thread, and each sink subtask a connection. Input is untrusted: a connection
 * that violates the protocol is closed, counted and logged, and does not affect others.
 *
 * <p>Construction has no side effects. Start once, and close once, before the store. Thread-safe.
 */
public final class StoreServer implements AutoCloseable {
  /** Version of the protocol; that of a writer must be the same. */
  public static final int PROTOCOL_VERSION = StoreProtocol.VERSION;

  private static final Logger LOG = LoggerFactory.getLogger(StoreServer.class);
  private static final int BACKLOG = 64;

  /** More than any job needs; each has a thread. */
  private static final int MAX_CONNECTIONS = 1_024;

  private static final int MAX_UNAUTHENTICATED = 64;

  /** The first N rejections are all logged, of later ones 1 in N. */
  private static final int LOGGED_REJECTIONS = 100;

  private static final long CLOSE_MILLIS = 10_000;

  /**
   * Connection counts since the start.
   *
   * @param open open connections
   * @param accepted all connections, including open ones
   * @param rejected of these, those rejected for protocol violations or limits
   * @param fenced of these, those with an old fencing token
   * @param blocks blocks passed to the store
   * @param bytes of these blocks on the wire
   */
  public record Counts(
      int open, long accepted, long rejected, long fenced, long blocks, long bytes) {}

  private final Store store;
  private final InetSocketAddress listen;
  private final StoreSecret secret;
  private final boolean isTailWanted;
  private final Set<WriterConnection> unauthenticated =
      Collections.synchronizedSet(new LinkedHashSet<>());
  private final Set<WriterConnection> open = ConcurrentHashMap.newKeySet();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder fenced = new LongAdder();
  private final LongAdder blocks = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final ScheduledExecutorService beats =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "store-beat");
            thread.setDaemon(true);
            return thread;
          });
  private final PeriodicTask beat =
      new PeriodicTask("store-beat", Duration.ZERO, () -> open.forEach(WriterConnection::beat));
  private ServerSocket socket;
  private volatile boolean isClosed;

  /** A server without a secret, for tests. */
  public StoreServer(Store store, InetSocketAddress listen) {
    this(store, listen, StoreSecret.NONE, true);
  }

  /**
   * Creates a server.
   *
   * @param listen port 0 for a free one
   * @param secret required of writers
   * @param isTailWanted whether writers that write files themselves also send the rows, to make
   *     them visible at once
   */
  public StoreServer(
      Store store, InetSocketAddress listen, StoreSecret secret, boolean isTailWanted) {
    this.store = store;
    this.listen = listen;
    this.secret = secret;
    this.isTailWanted = isTailWanted;
  }

  /** The secret required of writers. */
  public StoreSecret secret() {
    return secret;
  }

  /** Loopback and a free port. */
  public static InetSocketAddress anyLocalPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /**
   * Starts listening.
   *
   * @throws IOException if the address is unavailable; the message names it
   */
  public void start() throws IOException {
    socket = new ServerSocket();
    try {
      socket.setReuseAddress(true); // reuses the port of a killed process
      socket.bind(listen, BACKLOG);
    } catch (IOException e) {
      socket.close();
      throw new IOException("cannot listen for writers of the store on " + listen + ": " + e, e);
    }
    Pulse.thread("store-accept", Duration.ZERO, pulse -> accept()).start();
    var unused =
        beats.scheduleAtFixedRate(
            beat, StoreProtocol.BEAT_MILLIS, StoreProtocol.BEAT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void accept() {
    while (!isClosed) {
      try {
        take(socket.accept());
      } catch (IOException e) {
        if (!isClosed) {
          LOG.warn("cannot accept a connection to the store: {}", e.toString());
          pause(); // out of file descriptors: do not retry at once
        }
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(StoreProtocol.BEAT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void take(Socket client) throws IOException {
    accepted.increment();
    if (open.size() >= MAX_CONNECTIONS) {
      client.close();
      rejected(client, "limit of " + MAX_CONNECTIONS + " connections");
      return;
    }
    WriterConnection connection = new WriterConnection(this, store, client);
    open.add(connection);
    oldestOfTooMany(connection)
        .ifPresent(
            oldest -> {
              rejected(
                  oldest.socket(),
                  "evicted, " + MAX_UNAUTHENTICATED + " connections not authenticated");
              oldest.close(1);
            });
    connection.start();
    if (isClosed) {
      connection.close(CLOSE_MILLIS);
    }
  }

  private Optional<WriterConnection> oldestOfTooMany(WriterConnection newest) {
    synchronized (unauthenticated) {
      unauthenticated.add(newest);
      if (unauthenticated.size() <= MAX_UNAUTHENTICATED) {
        return Optional.empty();
      }
      WriterConnection oldest = unauthenticated.iterator().next();
      unauthenticated.remove(oldest);
      return Optional.of(oldest);
    }
  }

  void authenticated(WriterConnection connection) {
    unauthenticated.remove(connection);
  }

  void ended(WriterConnection connection) {
    unauthenticated.remove(connection);
    open.remove(connection);
  }

  void rejected(Socket client, String why) {
    rejected.increment();
    long count = rejected.sum();
    if (count <= LOGGED_REJECTIONS || count % LOGGED_REJECTIONS == 0) {
      LOG.warn(
          "store: rejected connection {}, from {}: {}",
          count,
          client.getRemoteSocketAddress(),
          why);
    }
  }

  void fenced(Socket client, String why) {
    fenced.increment();
    LOG.warn("store: fenced writer from {}: {}", client.getRemoteSocketAddress(), why);
  }

  void countBlock(int blockBytes) {
    blocks.increment();
    bytes.add(blockBytes);
  }

  /** The listen address. */
  public InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  public Counts counts() {
    return new Counts(
        open.size(), accepted.sum(), rejected.sum(), fenced.sum(), blocks.sum(), bytes.sum());
  }

  /** Open connections that write to this table. */
  public int writers(String table) {
    return (int) open.stream().filter(writer -> table.equals(writer.table())).count();
  }

  /** Open connections that write files of this table themselves. */
  public int fileWriters(String table) {
    return (int)
        open.stream()
            .filter(writer -> table.equals(writer.table()) && writer.writesFiles())
            .count();
  }

  boolean isTailWanted() {
    return isTailWanted;
  }

  /** Closes all connections; unflushed rows of their writers are lost. */
  @Override
  public void close() {
    isClosed = true;
    beats.shutdownNow();
    beat.close();
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      LOG.warn("store: cannot close the port: {}", e.toString());
    }
    open.forEach(connection -> connection.close(CLOSE_MILLIS));
  }
}
