package io.millrace.lab.hitters;

import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.HitterSketch;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.lab.harness.BenchContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/**
 * An algorithm with its memory and number of analyzers. Each analyzer has its own keys and sketch.
 * Every epoch begins with new sketches of the same seed. Not thread-safe.
 */
final class Candidate {
  /** Memory limit of exact counting, large enough to have no effect. */
  private static final long EXACT_MEMORY = 2L << 30;

  final Algorithm algorithm;
  final int memoryKib;
  final int analyzers;
  final Accuracy accuracy = new Accuracy();

  private final List<Double> rates = new ArrayList<>();
  private List<HitterSketch> sketches = new ArrayList<>();
  private List<HitterSketch> before = new ArrayList<>();
  private long mostBytes;

  Candidate(Algorithm algorithm, int memoryKib, int analyzers, long seed) {
    this.algorithm = algorithm;
    this.memoryKib = memoryKib;
    this.analyzers = analyzers;
    long memory = algorithm == Algorithm.EXACT ? EXACT_MEMORY : (long) memoryKib << 10;
    for (int i = 0; i < analyzers; i++) {
      sketches.add(algorithm.create(PacketTrace.KEY_BYTES, memory, seed));
    }
  }

  /** Counts an epoch, all analyzers concurrently, and records the rate. */
  void count(List<List<KeyBlock>> parts, ExecutorService threads) throws Exception {
    before = sketches;
    sketches = new ArrayList<>();
    before.forEach(sketch -> sketches.add(sketch.fresh()));
    List<Callable<Long>> work = new ArrayList<>();
    for (int i = 0; i < analyzers; i++) {
      HitterSketch sketch = sketches.get(i);
      List<KeyBlock> blocks = parts.get(i);
      work.add(
          () -> {
            blocks.forEach(sketch::update);
            return sketch.total();
          });
    }
    long start = System.nanoTime();
    long packets = 0;
    for (Future<Long> part : threads.invokeAll(work)) {
      packets += part.get();
    }
    rates.add(packets * 1e9 / (System.nanoTime() - start));
    sketches.forEach(sketch -> mostBytes = Math.max(mostBytes, sketch.bytes()));
  }

  void checkHitters(Map<Key, Long> truth, long threshold) {
    List<Hitter> hitters = new ArrayList<>();
    sketches.forEach(sketch -> hitters.addAll(sketch.hitters(threshold)));
    accuracy.add(truth, hitters);
  }

  /** Compares the changers since the preceding epoch with the expected ones. */
  void checkChangers(Map<Key, Long> truth, long threshold) {
    List<Hitter> changers = new ArrayList<>();
    for (int i = 0; i < analyzers; i++) {
      changers.addAll(sketches.get(i).changers(before.get(i), threshold));
    }
    accuracy.add(truth, changers);
  }

  /** Returns the median rate of all epochs, in packets per second. */
  double rate() {
    return BenchContext.median(rates.stream().mapToDouble(rate -> rate).toArray());
  }

  /** Returns the maximum bytes of an analyzer's sketch. */
  long mostBytes() {
    return mostBytes;
  }
}
