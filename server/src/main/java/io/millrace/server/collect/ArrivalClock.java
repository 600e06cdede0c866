package io.millrace.server.collect;

import java.time.Instant;

/** Source of arrival timestamps. May step with the system's clock. */
@FunctionalInterface
public interface ArrivalClock {
  /** The system's clock, with a resolution of a microsecond. */
  ArrivalClock SYSTEM =
      () -> {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
      };

  /** The time in microseconds since the epoch. */
  long micros();
}
