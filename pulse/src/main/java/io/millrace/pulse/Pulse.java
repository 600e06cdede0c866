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
 * The sign of life of a part of this process: a thread that goes on until it is told to end.
 * Whoever asks how the process is doing asks {@link #all}, so that no part stops while the rest
 * looks well.
 *
 * <p>A part that ends by an exception or an error stays in the list, with what ended it, until a
 * part of the same name begins. One that ended because it was told to is no longer there. Where
 * memory ran out, nothing that goes on can be trusted: the process says so and ends with status 3,
 * as the JVM does with {@code ExitOnOutOfMemoryError}, which does not see all cases. Thread-safe.
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
   * The pulse of a part that runs on threads of others.
   *
   * @param longestSilence more without a {@link #beat} is a problem; zero if that says nothing
   * @param isIdle whether the part has nothing to do, so that silence is right
   */
  public static Pulse of(String name, Duration longestSilence, BooleanSupplier isIdle) {
    return new Pulse(name, longestSilence, isIdle);
  }

  /**
   * A daemon thread that is not started; its pulse begins with its work, to which it is given.
   *
   * @param longestSilence more without a {@link #beat} is a problem; zero if that says nothing
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

  /** The part has done something. */
  public void beat() {
    failure = null;
    lastNanos = System.nanoTime();
  }

  /** The part was told to end, and did. */
  public void stop() {
    ALL.remove(this);
  }

  /** The part ended by this. */
  public void stop(Throwable cause) {
    end = cause;
    endWithoutMemory(cause);
  }

  /** What the part did has failed, and it goes on; a problem until the next {@link #beat}. */
  void fail(Throwable cause) {
    failure = cause;
    endWithoutMemory(cause);
  }

  private void endWithoutMemory(Throwable cause) {
    if (cause instanceof OutOfMemoryError) {
      // a logger may want some memory
      System.err.println("millrace: " + name + ": " + cause + "; the process ends");
      Runtime.getRuntime().halt(OUT_OF_MEMORY);
    }
  }

  /** All parts, by name. */
  public static List<Pulse> all() {
    List<Pulse> all = new ArrayList<>(ALL);
    all.sort(Comparator.comparing(Pulse::name));
    return all;
  }

  /** What the part is. */
  public String name() {
    return name;
  }

  /** Time since the last beat. */
  public Duration silence() {
    return Duration.ofNanos(System.nanoTime() - lastNanos);
  }

  /** What is wrong with the part, in one line; empty while nothing is. */
  public Optional<String> problem() {
    Throwable ended = end;
    if (ended != null) {
      return Optional.of(name + " has ended: " + ended + "; restart Millrace, and report this");
    }
    Throwable failed = failure;
    if (failed != null) {
      return Optional.of(name + " fails, and tries again: " + failed);
    }
    Duration silence = silence();
    if (longestNanos > 0 && silence.toNanos() > longestNanos && !isIdle.getAsBoolean()) {
      return Optional.of(name + " has not moved for " + silence.toSeconds() + " s");
    }
    return Optional.empty();
  }
}
