package io.millrace.pulse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Liveness of a part of this process, such as a thread. {@link #all} lists all parts, for health
 * checks.
 *
 * <p>A part that ends with an exception stays listed with the cause until a part of the same name
 * starts; a stopped part is removed. After an out-of-memory error the state is unreliable: the
 * process prints it and exits with status 3, like {@code ExitOnOutOfMemoryError}, which misses some
 * cases. Thread-safe.
 */
public final class Pulse {
  private static final Set<Pulse> ALL = ConcurrentHashMap.newKeySet();
  private static final int OUT_OF_MEMORY = 3;

  private final String name;
  private final long longestNanos;
  private final BooleanSupplier isIdle;
  private volatile long lastNanos = System.nanoTime();
  private volatile Throwable end;
  private volatile Throwable failure;

  private Pulse(String name, Duration longestSilence, BooleanSupplier isIdle) {
    this.name = name;
    this.longestNanos = longestSilence.toNanos();
    this.isIdle = isIdle;
    ALL.removeIf(before -> before.name.equals(name) && before.end != null);
    ALL.add(this);
  }

  /**
   * Creates the pulse of a part that has no thread of its own.
   *
   * @param longestSilence maximum time between {@linkplain #beat beats}; zero for no limit
   * @param isIdle whether the part has no work; then silence is not a problem
   */
  public static Pulse of(String name, Duration longestSilence, BooleanSupplier isIdle) {
    return new Pulse(name, longestSilence, isIdle);
  }

  /**
   * Creates an unstarted daemon thread with a pulse.
   *
   * @param longestSilence maximum time between {@linkplain #beat beats}; zero for no limit
   * @param work receives the pulse
   */
  public static Thread thread(String name, Duration longestSilence, Consumer<Pulse> work) {
    Thread thread =
        new Thread(
            () -> {
              Pulse pulse = new Pulse(name, longestSilence, () -> false);
              try {
                work.accept(pulse);
                pulse.stop();
              } catch (RuntimeException | Error e) {
                pulse.stop(e);
                throw e;
              }
            },
            name);
    thread.setDaemon(true);
    return thread;
  }

  /** Reports progress. */
  public void beat() {
    failure = null;
    lastNanos = System.nanoTime();
  }

  /** Reports a regular end. */
  public void stop() {
    ALL.remove(this);
  }

  /** Reports an end by an error. */
  public void stop(Throwable cause) {
    end = cause;
    endWithoutMemory(cause);
  }

  /**
   * Reports an error after which the part continues; it is a problem until the next {@link #beat}.
   */
  void fail(Throwable cause) {
    failure = cause;
    endWithoutMemory(cause);
  }

  private void endWithoutMemory(Throwable cause) {
    if (cause instanceof OutOfMemoryError) {
      // logging may need memory
      System.err.println("millrace: " + name + ": " + cause + "; exiting");
      Runtime.getRuntime().halt(OUT_OF_MEMORY);
    }
  }

  /** All parts, sorted by name. */
  public static List<Pulse> all() {
    List<Pulse> all = new ArrayList<>(ALL);
    all.sort(Comparator.comparing(Pulse::name));
    return all;
  }

  /** Name of the part. */
  public String name() {
    return name;
  }

  /** Time since the last beat. */
  public Duration silence() {
    return Duration.ofNanos(System.nanoTime() - lastNanos);
  }

  /** Whether the part ended by an error; then only a restart of the process starts it again. */
  public boolean hasEnded() {
    return end != null;
  }

  /** Problem of the part, in one line; empty if there is none. */
  public Optional<String> problem() {
    Throwable ended = end;
    if (ended != null) {
      return Optional.of(name + " has ended: " + ended + "; restart Millrace, and report this bug");
    }
    Throwable failed = failure;
    if (failed != null) {
      return Optional.of(name + " failed; retrying: " + failed);
    }
    Duration silence = silence();
    if (longestNanos > 0 && silence.toNanos() > longestNanos && !isIdle.getAsBoolean()) {
      return Optional.of(name + " has made no progress for " + silence.toSeconds() + " s");
    }
    return Optional.empty();
  }
}
