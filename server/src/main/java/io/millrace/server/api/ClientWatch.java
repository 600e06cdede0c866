package io.millrace.server.api;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Detects the disconnect of a client during its request, checked twice a second.
 *
 * <p>Jetty does not read an HTTP/1.1 connection during a request, so it notices a disconnect only
 * by a failed write, and a query writes nothing before its first row. This class reads a byte: none
 * arrives while the client waits, and one that does is the first of the next request, so checking
 * stops and the byte is pushed back on close. A half-closed connection counts as disconnected.
 *
 * <p>Create after the request's body was read; close on the responding thread before the response
 * is complete.
 */
final class ClientWatch implements Runnable, AutoCloseable {
  private static final long POLL_MILLIS = 500;

  private final Connection.UpgradeTo connection;
  private final EndPoint end;
  private final Scheduler scheduler;
  private final Runnable gone;
  private final ByteBuffer ahead = BufferUtil.allocate(1);
  private Scheduler.Task next;
  private boolean isClosed;

  /** {@code gone} is called at most once, on a thread that must not be blocked. */
  ClientWatch(Connection.UpgradeTo connection, EndPoint end, Scheduler scheduler, Runnable gone) {
    this.connection = connection;
    this.end = end;
    this.scheduler = scheduler;
    this.gone = gone;
    schedule();
  }

  private synchronized void schedule() {
    next = scheduler.schedule(this, POLL_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Checks once whether the client is connected. */
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

  synchronized boolean isAhead() {
    return ahead.hasRemaining();
  }

  /** Stops checking and restores the connection. */
  @Override
  public synchronized void close() {
    isClosed = true;
    var unused = next.cancel();
    if (ahead.hasRemaining()) {
      connection.onUpgradeTo(ahead); // appends to its unparsed input
    }
  }
}
