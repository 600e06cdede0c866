package io.millrace.server.collect;

import java.time.Instant;

/** Tells when a datagram arrived. May step with the system's clock. */
@FunctionalInterface
public interface ArrivalClock {
  /** The system's clock, in steps of a microsecond. */
  ArrivalClock SYSTEM =
      () -> {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
      };

  /** Now, in microseconds since the epoch. */
  long micros();
}
