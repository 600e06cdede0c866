package io.millrace.server.api;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * An answer on its way to a client that has to take it at a least rate: what it is made from, a
 * snapshot of the store or a file, is held until it has. Only time in which the client is waited
 * for counts. A client that is too slow finds its connection closed, and the writing thread gets an
 * {@link IOException}.
 */
final class PacedAnswer extends OutputStream implements Runnable {
  /** Bytes of which it is known that they were taken, or not. */
  private static final int PIECE = 64 << 10;

  private final OutputStream out;
  private final EndPoint end;
  private final Scheduler scheduler;
  private final Duration patience;
  private final Pace pace;
  private final OpenAnswers.Place place;
  private final Runnable givenUp;
  private Scheduler.Task next;
  private boolean isClosed;

  /**
   * @param end of the connection, below TLS
   * @param place of the question, which rests while the client is waited for
   * @param givenUp called when the client was too slow
   */
  PacedAnswer(
      OutputStream out,
      EndPoint end,
      Scheduler scheduler,
      AnswersConfig config,
      OpenAnswers.Place place,
      Runnable givenUp) {
    this.out = out;
    this.end = end;
    this.scheduler = scheduler;
    this.patience = config.patience();
    this.pace = new Pace(config.pace());
    this.place = place;
    this.givenUp = givenUp;
    schedule();
  }

  private synchronized void schedule() {
    if (!isClosed) {
      next = scheduler.schedule(this, patience.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Looks how much was taken since it looked last. */
  @Override
  public void run() {
    if (isTooSlow()) {
      givenUp.run();
      end.close(); // ends the write
    } else {
      schedule();
    }
  }

  private synchronized boolean isTooSlow() {
    return !isClosed && pace.isTooSlow();
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    for (int at = 0; at < length; at += PIECE) {
      int piece = Math.min(PIECE, length - at);
      boolean wasAtWork = place.rest();
      pace.begin();
      try {
        out.write(from, offset + at, piece);
      } finally {
        pace.end(piece);
      }
      if (wasAtWork) {
        place.work();
      }
    }
  }

  @Override
  public void flush() throws IOException {
    pace.begin();
    try {
      out.flush();
    } finally {
      pace.end(0);
    }
  }

  /** Completes the answer. */
  @Override
  public void close() throws IOException {
    place.rest();
    pace.begin();
    try {
      out.close();
    } finally {
      stop();
    }
  }

  /** Looks no more, whether it is complete or has failed. */
  synchronized void stop() {
    isClosed = true;
    var unused = next.cancel();
  }
}
