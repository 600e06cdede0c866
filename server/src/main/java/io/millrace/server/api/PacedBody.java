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
 * A request whose body has to come at a least rate: a thread, a question's place or memory is held
 * until it has. Only time in which the sender is waited for counts. Of a sender that is too slow or
 * silent, reading fails with {@link HttpException.RuntimeException} and status 408, and what is
 * left of the body ends with the connection.
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

  /**
   * @param givenUp called at most once, when the sender was too slow
   */
  PacedBody(Request request, Pace.Terms terms, Runnable givenUp) {
    super(request);
    this.pace = new Pace(terms);
    this.terms = terms;
    this.givenUp = givenUp;
    end = Listener.socket(request);
    idleMillis = end.getIdleTimeout();
  }

  /** Looks for the pace from the first time on that the sender has to be waited for. */
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
              .schedule(this, terms.patience().toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Looks how much has come since it looked last. */
  @Override
  public void run() {
    if (!pace.isTooSlow()) {
      schedule();
    } else if (giveUp()) {
      end.setIdleTimeout(1); // wakes whoever waits for more
    }
  }

  /** False if it was over before. */
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
      end.setIdleTimeout(idleMillis); // the answer has the usual time
      return Content.Chunk.from(tooSlow());
    }
    if (chunk != null) {
      pace.end(chunk.remaining());
      if (chunk.isLast()) {
        stop(); // all has come, however slowly
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
        "the body came more slowly than %,d bytes a second over %,d ms"
            .formatted(terms.leastRateBytes(), terms.patience().toMillis()));
  }

  /** Ends the looking. */
  synchronized void stop() {
    isOver = true;
    if (next != null) {
      var unused = next.cancel();
    }
  }
}
