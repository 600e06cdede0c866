package io.millrace.traffic;

import java.util.concurrent.locks.LockSupport;

/** Time as one who sends on a schedule sees it. */
public interface SendClock {
  /** The system's own, with sleeps that give the processor away. */
  SendClock SYSTEM =
      new SendClock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void sleepNanos(long nanos) {
          LockSupport.parkNanos(nanos);
        }
      };

  /** Nanoseconds from any fixed moment. */
  long nanoTime();

  /** Waits about so long; may return early. */
  void sleepNanos(long nanos);
}
