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
 * The clock by which stored data is deleted. Where the machine's clock jumps ahead, compared with
 * the time that has passed since the call before, or at the start with what is stored, it is
 * believed once that has lasted for an hour: a clock that is wrong for some minutes makes nothing
 * old. Thread-safe.
 */
public final class SteadyClock implements LongSupplier {
  /** How far ahead the clock may jump and be believed at once. */
  public static final Duration TOLERANCE = Duration.ofHours(6);

  /** How long a jump must have lasted to be believed. */
  public static final Duration DOUBT = Duration.ofHours(1);

  private static final long TOLERANCE_MICROS = TimeUnit.NANOSECONDS.toMicros(TOLERANCE.toNanos());

  /** Far from where sums with it overflow. */
  private static final long MOST_MICROS = Long.MAX_VALUE / 2;

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
   * @param wallMicros the machine's clock, microseconds since the epoch
   * @param nanos time that passes, whatever that clock says
   * @param known a time that has been for certain, by what is stored, given what the machine's
   *     clock says at the first call; empty if nothing is stored
   */
  public SteadyClock(
      LongSupplier wallMicros, LongSupplier nanos, LongFunction<OptionalLong> known) {
    this.wallMicros = wallMicros;
    this.nanos = nanos;
    this.known = known;
  }

  /** Microseconds since the epoch that deletions may go by; never more than the machine's clock. */
  @Override
  public synchronized long getAsLong() {
    long last = wall;
    wall = Math.min(wallMicros.getAsLong(), MOST_MICROS);
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

  /**
   * A jump since the first call, in one line; empty if there was none, if the clock is right again,
   * or if the jump is believed by now.
   */
  public synchronized Optional<String> problem() {
    return hasJumped
        ? Optional.of(
            "the clock of this machine jumped ahead to %s from %s: nothing more is deleted for its age until that has lasted for an hour; set the clock if it is wrong"
                .formatted(second(wall), second(believed)))
        : Optional.empty();
  }

  private static Instant second(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).truncatedTo(ChronoUnit.SECONDS);
  }
}
