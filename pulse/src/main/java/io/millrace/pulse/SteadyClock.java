package io.millrace.pulse;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * Clock for retention. If the machine's clock jumps ahead, compared with elapsed time or, at the
 * start, with stored data, this clock follows only after an hour. So a clock that is wrong for
 * minutes deletes nothing. Thread-safe.
 */
public final class SteadyClock implements LongSupplier {
  /** Maximum jump that is accepted immediately. */
  public static final Duration TOLERANCE = Duration.ofHours(6);

  /** Time for which a greater jump must persist to be accepted. */
  public static final Duration ACCEPT_AFTER = Duration.ofHours(1);

  private static final long TOLERANCE_MICROS = TimeUnit.NANOSECONDS.toMicros(TOLERANCE.toNanos());

  /** Maximum time; leaves room for additions without an overflow. */
  private static final long MAX_MICROS = Long.MAX_VALUE / 2;

  private final LongSupplier wallMicros;
  private final LongSupplier nanos;
  private final LongFunction<OptionalLong> known;

  // Guarded by this.
  private boolean hasBegun;
  private long accepted;
  private long wall;
  private long at;
  private boolean isPending;
  private long pendingSince;
  private boolean hasJumped;

  /**
   * Creates a clock.
   *
   * @param wallMicros the machine's clock, microseconds since the epoch
   * @param nanos monotonic clock
   * @param known returns a time that has certainly passed, from stored data; called once, with the
   *     machine's time; empty if nothing is stored
   */
  public SteadyClock(
      LongSupplier wallMicros, LongSupplier nanos, LongFunction<OptionalLong> known) {
    this.wallMicros = wallMicros;
    this.nanos = nanos;
    this.known = known;
  }

  /** Time for retention, microseconds since the epoch; never ahead of the machine's clock. */
  @Override
  public synchronized long getAsLong() {
    long last = wall;
    wall = Math.min(wallMicros.getAsLong(), MAX_MICROS);
    long now = nanos.getAsLong();
    long passed = (now - at) / 1_000;
    long expected = hasBegun ? accepted + passed : known.apply(wall).orElse(wall);
    boolean isAhead = wall - TOLERANCE_MICROS > expected;
    boolean hasMoved = hasBegun && Math.abs(wall - last - passed) > TOLERANCE_MICROS;
    if (isAhead && (!isPending || hasMoved)) {
      isPending = true;
      pendingSince = now;
    } else if (!isAhead || now - pendingSince >= ACCEPT_AFTER.toNanos()) {
      isPending = false;
    }
    hasJumped = isPending && (hasMoved ? wall > last : hasJumped);
    at = now;
    hasBegun = true;
    accepted = isPending ? expected : wall;
    return accepted;
  }

  /** Message about a jump that is not accepted yet, in one line; empty if there is none. */
  public synchronized Optional<String> problem() {
    return hasJumped
        ? Optional.of(
            "the clock of this machine jumped ahead to %s from %s: retention is paused until this has lasted for an hour; correct the clock if it is wrong"
                .formatted(second(wall), second(accepted)))
        : Optional.empty();
  }

  private static Instant second(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).truncatedTo(ChronoUnit.SECONDS);
  }
}
