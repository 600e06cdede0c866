package io.millrace.server.api;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A request whose body must arrive at the minimum rate, because it occupies a thread, a query slot
 * or memory. Only time spent waiting for the sender counts. If the sender is too slow or silent,
 * reading fails with {@link HttpException.RuntimeException} and status 408, and the connection is
 * closed without reading the rest of the body.
 */
final class PacedBody extends Request.Wrapper implements Runnable {
  private final Pace pace;
  private final Pace.Terms terms;
  private final Runnable givenUp;
  private final EndPoint end;
  private final long idleMillis;
  private Scheduler.Task next;
  private boolean isOver;
  private volatile boolean isGivenUp;

  PacedBody(Request request, Pace.Terms terms, Runnable givenUp) {
    super(request);
    this.pace = new Pace(terms);
    this.terms = terms;
    this.givenUp = givenUp;
    end = Listener.socket(request);
    idleMillis = end.getIdleTimeout();
  }

  /** Starts measuring at the first wait for the sender. */
  @Override
  public void demand(Runnable task) {
    if (next == null) {
      schedule();
    }
    super.demand(task);
  }

  private synchronized void schedule() {
    if (!isOver) {
      next =
          getConnectionMetaData()
              .getConnector()
              .getScheduler()
              .schedule(this, terms.timeout().toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Checks the rate since the last call. */
  @Override
  public void run() {
    if (!pace.isTooSlow()) {
      schedule();
    } else if (giveUp()) {
      end.setIdleTimeout(1); // wakes up the waiting reader
    }
  }

  private synchronized boolean giveUp() {
    if (isOver) {
      return false;
    }
    stop();
    isGivenUp = true;
    givenUp.run();
    return true;
  }

  @Override
  public Content.Chunk read() {
    pace.begin();
    Content.Chunk chunk = super.read();
    if (isGivenUp || isSilence(chunk)) {
      if (chunk != null) {
        chunk.release();
      }
      var unused = giveUp();
      end.setIdleTimeout(idleMillis); // restores the time-out for the response
      return Content.Chunk.from(tooSlow());
    }
    if (chunk != null) {
      pace.end(chunk.remaining());
      if (chunk.isLast()) {
        stop(); // the body is complete
      }
    }
    return chunk;
  }

  private static boolean isSilence(Content.Chunk chunk) {
    return Content.Chunk.isFailure(chunk) && chunk.getFailure() instanceof TimeoutException;
  }

  private HttpException.RuntimeException tooSlow() {
    return new HttpException.RuntimeException(
        HttpStatus.REQUEST_TIMEOUT_408,
        "body slower than %,d bytes a second over %,d ms"
            .formatted(terms.minRateBytes(), terms.timeout().toMillis()));
  }

  synchronized void stop() {
    isOver = true;
    if (next != null) {
      var unused = next.cancel();
    }
  }
}
