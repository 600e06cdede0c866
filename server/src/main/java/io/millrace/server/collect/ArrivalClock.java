package io.millrace.server.collect;

import java.time.Instant;

/** Clock for arrival timestamps. It may be set back or forward with the system's clock. */
@FunctionalInterface
public interface ArrivalClock {
  /** The system's clock, with a resolution of one microsecond. */
  ArrivalClock SYSTEM =
      () -> {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
      };

  /** Current time, microseconds since the epoch. */
  long micros();
}
