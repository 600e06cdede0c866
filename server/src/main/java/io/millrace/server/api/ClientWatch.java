package io.millrace.server.api;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Looks twice a second whether the client of a request still waits for its answer, and tells when
 * it has gone.
 *
 * <p>Jetty reads nothing of an HTTP/1.1 connection while a request is answered, so it notices an
 * end by the first write that fails, and a query writes nothing until it has a row. Looking means
 * reading a byte. There is none while the client waits: one that it sends is the first of its next
 * request. That proves that it is there, and is given back at the end; it is not looked for any
 * more then. A client that ends its sending half of the connection is taken for one that has gone.
 *
 * <p>To be made when the body of the request was read, and closed by the thread that answers,
 * before the answer is complete.
 */
final class ClientWatch implements Runnable, AutoCloseable {
  private static final long LOOK_MILLIS = 500;

  private final Connection.UpgradeTo connection;
  private final EndPoint end;
  private final Scheduler scheduler;
  private final Runnable gone;
  private final ByteBuffer ahead = BufferUtil.allocate(1);
  private Scheduler.Task next;
  private boolean isClosed;

  /**
   * Starts looking.
   *
   * @param gone called at most once, on a thread that must not be kept
   */
  ClientWatch(Connection.UpgradeTo connection, EndPoint end, Scheduler scheduler, Runnable gone) {
    this.connection = connection;
    this.end = end;
    this.scheduler = scheduler;
    this.gone = gone;
    schedule();
  }

  private synchronized void schedule() {
    next = scheduler.schedule(this, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Looks once whether the client is still there. */
  @Override
  public void run() {
    if (isGone()) {
      gone.run();
    }
  }

  private synchronized boolean isGone() {
    if (isClosed) {
      return false;
    }
    try {
      int read = end.fill(ahead);
      if (read == 0) {
        schedule();
      }
      return read < 0;
    } catch (IOException e) {
      return true; // reset by the client
    }
  }

  /** Whether a byte of the next request has come; for tests. */
  synchronized boolean isAhead() {
    return ahead.hasRemaining();
  }

  /** Ends it, and leaves the connection as it would be without. */
  @Override
  public synchronized void close() {
    isClosed = true;
    var unused = next.cancel();
    if (ahead.hasRemaining()) {
      connection.onUpgradeTo(ahead); // adds to what it has read and not yet looked at
    }
  }
}
