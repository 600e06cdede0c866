package io.millrace.server.flight;

import io.millrace.server.api.Pace;
import io.millrace.store.Cancellation;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;

/**
 * Waits until a client is ready to receive rows. The transport signals free space and disconnects
 * on its own threads; a disconnect cancels the query.
 */
final class Outlet {
  enum Wait {
    READY,
    GONE,
    TOO_LONG,
    TOO_SLOW
  }

  private final ServerStreamListener listener;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Creates an outlet, on the thread on which the transport runs the call. */
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
        // Polls, because a cancellation by another call does not signal this lock.
        changed.awaitNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
      }
    } finally {
      lock.unlock();
    }
  }
}
