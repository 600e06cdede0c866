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
 * Two lanes, each with its own keys and its own thread.
 *
 * @param <L> type of the lanes
 */
public final class Lanes<L extends Lane> implements AutoCloseable {
  /** Number of lanes. */
  public static final int COUNT = 2;

  private static final int SHIFT = 31;

  private final ExecutorService threads = Executors.newFixedThreadPool(COUNT);
  private final List<L> lanes;

  /** Creates empty lanes. */
  public Lanes(Supplier<L> lane) {
    lanes = Stream.generate(lane).limit(COUNT).toList();
  }

  /** Returns the lane of a key, chosen by the bit of the hash that tables use last. */
  public L of(long key) {
    return lanes.get(Hash.of(key) >>> SHIFT);
  }

  /** Returns all lanes. */
  public Stream<L> stream() {
    return lanes.stream();
  }

  /**
   * Advances event time beyond a watermark, in all lanes, after the rows taken so far.
   *
   * @param due when all these rows have arrived, in event time
   */
  public void mark(long watermark, long due) {
    lanes.forEach(lane -> lane.mark(watermark, due));
  }

  /**
   * A task for one lane.
   *
   * @param <L> type of the lane
   */
  @FunctionalInterface
  public interface Work<L> {
    /** Runs on the lane's thread. */
    void of(L lane) throws Exception;
  }

  /** Runs a task on all lanes and returns the seconds until the last one has finished. */
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
