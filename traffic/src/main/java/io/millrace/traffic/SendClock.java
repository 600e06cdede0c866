package io.millrace.traffic;

import java.util.concurrent.locks.LockSupport;

/** Clock of {@link UdpSender}. */
public interface SendClock {
  /** The system's clock, with sleeps that yield the processor. */
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

  /** Nanoseconds since a fixed time. */
  long nanoTime();

  /** Sleeps for about this long; may return early. */
  void sleepNanos(long nanos);
}
