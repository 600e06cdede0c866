package io.millrace.server.flight;

import io.millrace.server.api.Pace;
import io.millrace.store.Cancellation;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;

/**
 * Waits for a client to take what it was sent. The transport tells on threads of its own when there
 * is room again, and when the client is gone: then the query is cancelled, wherever it is.
 */
final class Outlet {
  /** How waiting ended. */
  enum Wait {
    READY,
    GONE,
    TOO_LONG,
    TOO_SLOW
  }

  private final ServerStreamListener listener;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** To be made in the thread that was called by the transport. */
  Outlet(ServerStreamListener listener, Cancellation cancellation) {
    this.listener = listener;
    listener.setOnReadyHandler(this::wake);
    listener.setOnCancelHandler(
        () -> {
          cancellation.cancel();
          wake();
        });
  }

  private void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until more can be sent.
   *
   * @param pace of what the client takes
   * @param deadlineNanos by {@link System#nanoTime()}
   */
  Wait await(Cancellation cancellation, Pace pace, long deadlineNanos) throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        if (listener.isCancelled() || cancellation.isCancelled()) {
          return Wait.GONE;
        }
        if (listener.isReady()) {
          return Wait.READY;
        }
        if (pace.isTooSlow()) {
          return Wait.TOO_SLOW;
        }
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
          return Wait.TOO_LONG;
        }
        // A cancellation by another call does not signal this lock, so it is looked for now and
        // then.
        changed.awaitNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
      }
    } finally {
      lock.unlock();
    }
  }
}
