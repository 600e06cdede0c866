package io.millrace.store.remote;

import io.millrace.pulse.Pulse;
import io.millrace.pulse.Turn;
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
 * Opens the tables of a store to writers in other processes, by TCP: a thread a connection, since
 * there are as many as sinks have subtasks. What comes in is not trusted: a connection that does
 * not speak the protocol is closed, counted and named in the log, and disturbs no other.
 *
 * <p>Made without effect, started once, closed once, before the store is. Thread-safe.
 */
public final class StoreServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreServer.class);
  private static final int BACKLOG = 64;

  /** A thread for each is enough for these, and no more are expected of any job. */
  private static final int MOST_CONNECTIONS = 1_024;

  /** Connections that have not shown the secret yet; one more ends the oldest of them. */
  private static final int MOST_STRANGERS = 64;

  /** This many refusals are named in the log, then one in as many. */
  private static final int NAMED_REFUSALS = 100;

  private static final long CLOSE_MILLIS = 10_000;

  /**
   * What has come and gone since the start.
   *
   * @param open connections there are now
   * @param accepted connections that there were, those included
   * @param refused of these, those that did not speak the protocol or were too many
   * @param fenced of these, those that came under an old fencing token
   * @param blocks that were handed to the store
   * @param bytes of these blocks on the wire
   */
  public record Counts(
      int open, long accepted, long refused, long fenced, long blocks, long bytes) {}

  private final Store store;
  private final InetSocketAddress listen;
  private final StoreSecret secret;
  private final Set<WriterConnection> strangers =
      Collections.synchronizedSet(new LinkedHashSet<>());
  private final Set<WriterConnection> open = ConcurrentHashMap.newKeySet();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refused = new LongAdder();
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
  private final Turn beat =
      new Turn("store-beat", Duration.ZERO, () -> open.forEach(WriterConnection::beat));
  private ServerSocket socket;
  private volatile boolean isClosed;

  /** A server that asks for no secret, for tests. */
  public StoreServer(Store store, InetSocketAddress listen) {
    this(store, listen, StoreSecret.NONE);
  }

  /**
   * @param listen port 0 takes a free one
   * @param secret that writers have to show
   */
  public StoreServer(Store store, InetSocketAddress listen, StoreSecret secret) {
    this.store = store;
    this.listen = listen;
    this.secret = secret;
  }

  /** What writers have to show. */
  public StoreSecret secret() {
    return secret;
  }

  /** Loopback and a free port. */
  public static InetSocketAddress anyLocalPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /**
   * Listens.
   *
   * @throws IOException if the address cannot be had; says which
   */
  public void start() throws IOException {
    socket = new ServerSocket();
    try {
      socket.setReuseAddress(true); // the port of a process that was killed
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
          LOG.warn("cannot take a connection to the store: {}", e.toString());
          pause(); // out of file descriptors: not at once again
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
    if (open.size() >= MOST_CONNECTIONS) {
      client.close();
      refused(client, "there are " + MOST_CONNECTIONS + " already");
      return;
    }
    WriterConnection connection = new WriterConnection(this, store, client);
    open.add(connection);
    oldestOfTooMany(connection)
        .ifPresent(
            oldest -> {
              refused(
                  oldest.socket(),
                  "it makes way, " + MOST_STRANGERS + " have not shown the secret");
              oldest.close(1);
            });
    connection.start();
    if (isClosed) {
      connection.close(CLOSE_MILLIS);
    }
  }

  private Optional<WriterConnection> oldestOfTooMany(WriterConnection newest) {
    synchronized (strangers) {
      strangers.add(newest);
      if (strangers.size() <= MOST_STRANGERS) {
        return Optional.empty();
      }
      WriterConnection oldest = strangers.iterator().next();
      strangers.remove(oldest);
      return Optional.of(oldest);
    }
  }

  /** A connection has shown the secret. */
  void admitted(WriterConnection connection) {
    strangers.remove(connection);
  }

  void ended(WriterConnection connection) {
    strangers.remove(connection);
    open.remove(connection);
  }

  void refused(Socket client, String why) {
    refused.increment();
    long count = refused.sum();
    if (count <= NAMED_REFUSALS || count % NAMED_REFUSALS == 0) {
      LOG.warn(
          "store: connection {} of those refused, from {}: {}",
          count,
          client.getRemoteSocketAddress(),
          why);
    }
  }

  void fenced(Socket client, String why) {
    fenced.increment();
    LOG.warn("store: a writer from {} is too late: {}", client.getRemoteSocketAddress(), why);
  }

  void took(int blockBytes) {
    blocks.increment();
    bytes.add(blockBytes);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  /** What has come and gone. */
  public Counts counts() {
    return new Counts(
        open.size(), accepted.sum(), refused.sum(), fenced.sum(), blocks.sum(), bytes.sum());
  }

  /** Connections there are now that have this table open. */
  public int writers(String table) {
    return (int) open.stream().filter(writer -> table.equals(writer.table())).count();
  }

  /** Ends all connections; rows that their writers have not flushed are gone. */
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
      LOG.warn("store: the port was not closed: {}", e.toString());
    }
    open.forEach(connection -> connection.close(CLOSE_MILLIS));
  }
}
