package io.millrace.lab.records;

import io.millrace.analytics.keyed.Hash;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Two lanes, each with the keys that are its own, on a thread of its own.
 *
 * @param <L> the lanes
 */
public final class Lanes<L extends Lane> implements AutoCloseable {
  /** How many there are. */
  public static final int COUNT = 2;

  private static final int SHIFT = 31;

  private final ExecutorService threads = Executors.newFixedThreadPool(COUNT);
  private final List<L> lanes;

  /** Lanes that have got nothing yet. */
  public Lanes(Supplier<L> lane) {
    lanes = Stream.generate(lane).limit(COUNT).toList();
  }

  /** The lane that a key belongs to; by the bit of the hash that tables use last. */
  public L of(long key) {
    return lanes.get(Hash.of(key) >>> SHIFT);
  }

  /** All of them. */
  public Stream<L> stream() {
    return lanes.stream();
  }

  /**
   * Advances event time past that moment, in all lanes, after the rows taken so far.
   *
   * @param due when all of it has come, on the clock of event time
   */
  public void mark(long watermark, long due) {
    lanes.forEach(lane -> lane.mark(watermark, due));
  }

  /**
   * What a lane does.
   *
   * @param <L> the lane
   */
  @FunctionalInterface
  public interface Work<L> {
    /** Does it, on the lane's thread. */
    void of(L lane) throws Exception;
  }

  /** Seconds that the lanes need together. */
  public double run(Work<L> work) throws Exception {
    List<Callable<Void>> runs = new ArrayList<>();
    for (L lane : lanes) {
      runs.add(
          () -> {
            work.of(lane);
            return null;
          });
    }
    long started = System.nanoTime();
    for (Future<Void> each : threads.invokeAll(runs)) {
      each.get();
    }
    return (System.nanoTime() - started) / 1e9;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
