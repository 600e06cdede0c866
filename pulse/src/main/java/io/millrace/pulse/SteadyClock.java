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
 * The clock of retention. A jump ahead of the machine's clock, relative to elapsed time or at the
 * start to stored data, is accepted only after an hour, so that a clock that is wrong for minutes
 * deletes nothing. Thread-safe.
 */
public final class SteadyClock implements LongSupplier {
  /** Maximum jump that is accepted at once. */
  public static final Duration TOLERANCE = Duration.ofHours(6);

  /** Time after which a greater jump is accepted. */
  public static final Duration DOUBT = Duration.ofHours(1);

  private static final long TOLERANCE_MICROS = TimeUnit.NANOSECONDS.toMicros(TOLERANCE.toNanos());

  /** Far from overflows of sums. */
  private static final long MAX_MICROS = Long.MAX_VALUE / 2;

  private final LongSupplier wallMicros;
  private final LongSupplier nanos;
  private final LongFunction<OptionalLong> known;

  // Guarded by this.
  private boolean hasBegun;
  private long believed;
  private long wall;
  private long at;
  private boolean isDoubted;
  private long doubtedSince;
  private boolean hasJumped;

  /**
   * Creates a clock.
   *
   * @param wallMicros the machine's clock, microseconds since the epoch
   * @param nanos monotonic clock
   * @param known a time certainly in the past, from stored data, given the machine's clock at the
   *     first call; empty if nothing is stored
   */
  public SteadyClock(
      LongSupplier wallMicros, LongSupplier nanos, LongFunction<OptionalLong> known) {
    this.wallMicros = wallMicros;
    this.nanos = nanos;
    this.known = known;
  }

  /** Microseconds since the epoch for retention; never after the machine's clock. */
  @Override
  public synchronized long getAsLong() {
    long last = wall;
    wall = Math.min(wallMicros.getAsLong(), MAX_MICROS);
    long now = nanos.getAsLong();
    long passed = (now - at) / 1_000;
    long expected = hasBegun ? believed + passed : known.apply(wall).orElse(wall);
    boolean isAhead = wall - TOLERANCE_MICROS > expected;
    boolean hasMoved = hasBegun && Math.abs(wall - last - passed) > TOLERANCE_MICROS;
    if (isAhead && (!isDoubted || hasMoved)) {
      isDoubted = true;
      doubtedSince = now;
    } else if (!isAhead || now - doubtedSince >= DOUBT.toNanos()) {
      isDoubted = false;
    }
    hasJumped = isDoubted && (hasMoved ? wall > last : hasJumped);
    at = now;
    hasBegun = true;
    believed = isDoubted ? expected : wall;
    return believed;
  }

  /** A pending jump since the first call, in one line; empty if there is none. */
  public synchronized Optional<String> problem() {
    return hasJumped
        ? Optional.of(
            "the clock of this machine jumped ahead to %s from %s: retention is paused until this has lasted for an hour; correct the clock if it is wrong"
                .formatted(second(wall), second(believed)))
        : Optional.empty();
  }

  private static Instant second(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).truncatedTo(ChronoUnit.SECONDS);
  }
}
