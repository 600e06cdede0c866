package io.millrace.server.api;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Detects that a client disconnects during its request; checks twice a second.
 *
 * <p>Jetty does not read an HTTP/1.1 connection during a request, so it notices a disconnect only
 * by a failed write, and a query writes nothing before its first row. This class tries to read a
 * byte. While the client waits, none arrives. If one arrives, it is the first of the next request:
 * checking stops, and close() pushes the byte back. A half-closed connection counts as
 * disconnected.
 *
 * <p>Create it after the request's body was read; close it on the responding thread before the
 * response is complete.
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

  /**
   * {@code gone} is called at most once, when the client disconnects, on a thread that it must not
   * block.
   */
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
      return true; // connection reset
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
      connection.onUpgradeTo(ahead); // appends to the unparsed input
    }
  }
}
