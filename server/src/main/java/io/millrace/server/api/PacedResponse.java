package io.millrace.server.api;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A response that the client must read at the minimum rate, because it holds a snapshot of the
 * store or a file. Only time spent waiting for the client counts. If the client is too slow, its
 * connection is closed, and the writing thread gets an {@link IOException}.
 */
final class PacedResponse extends OutputStream implements Runnable {
  /** Bytes per write; the resolution of the measurement. */
  private static final int PIECE = 64 << 10;

  private final OutputStream out;
  private final EndPoint end;
  private final Scheduler scheduler;
  private final Duration interval;
  private final Pace pace;
  private final QueryAdmission.Slot slot;
  private final Runnable onAbort;
  private Scheduler.Task next;
  private boolean isClosed;

  PacedResponse(
      OutputStream out,
      EndPoint end,
      Scheduler scheduler,
      TransfersConfig config,
      QueryAdmission.Slot slot,
      Runnable onAbort) {
    this.out = out;
    this.end = end;
    this.scheduler = scheduler;
    this.interval = config.rateInterval();
    this.pace = new Pace(config.responsePace());
    this.slot = slot;
    this.onAbort = onAbort;
    schedule();
  }

  private synchronized void schedule() {
    if (!isClosed) {
      next = scheduler.schedule(this, interval.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Checks the rate since the last call. */
  @Override
  public void run() {
    if (isTooSlow()) {
      onAbort.run();
      end.close(); // aborts the write
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
      boolean wasRunning = slot.pause();
      pace.begin();
      try {
        out.write(from, offset + at, piece);
      } finally {
        pace.end(piece);
      }
      if (wasRunning) {
        slot.resume();
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

  /** Completes the response. */
  @Override
  public void close() throws IOException {
    slot.pause();
    pace.begin();
    try {
      out.close();
    } finally {
      stop();
    }
  }

  synchronized void stop() {
    isClosed = true;
    var unused = next.cancel();
  }
}
