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
 * An algorithm with its memory and analyzers, each with a sketch of its own for its keys. Sketches
 * are new in each epoch, with the seed of the first. Not thread-safe.
 */
final class Candidate {
  /** What exact counting may take: it has no use for less than it needs. */
  private static final long EXACT_MEMORY = 2L << 30;

  final Algorithm algorithm;
  final int memoryKib;
  final int analyzers;
  final Accuracy accuracy = new Accuracy();

  private final List<Double> rates = new ArrayList<>();
  private List<HitterSketch> sketches = new ArrayList<>();
  private List<HitterSketch> before = new ArrayList<>();
  private long mostBytes;

  /** One that has seen nothing. */
  Candidate(Algorithm algorithm, int memoryKib, int analyzers, long seed) {
    this.algorithm = algorithm;
    this.memoryKib = memoryKib;
    this.analyzers = analyzers;
    long memory = algorithm == Algorithm.EXACT ? EXACT_MEMORY : (long) memoryKib << 10;
    for (int i = 0; i < analyzers; i++) {
      sketches.add(algorithm.create(PacketTrace.KEY_BYTES, memory, seed));
    }
  }

  /** Counts an epoch, each analyzer its part at the same time, and keeps the rate. */
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

  /** Compares the epoch's hitters with the truth. */
  void checkHitters(Map<Key, Long> truth, long threshold) {
    List<Hitter> hitters = new ArrayList<>();
    sketches.forEach(sketch -> hitters.addAll(sketch.hitters(threshold)));
    accuracy.add(truth, hitters);
  }

  /** Compares the changers since the epoch before with the truth. */
  void checkChangers(Map<Key, Long> truth, long threshold) {
    List<Hitter> changers = new ArrayList<>();
    for (int i = 0; i < analyzers; i++) {
      changers.addAll(sketches.get(i).changers(before.get(i), threshold));
    }
    accuracy.add(truth, changers);
  }

  /** Packets a second, the median of the epochs. */
  double rate() {
    return BenchContext.median(rates.stream().mapToDouble(rate -> rate).toArray());
  }

  /** Most bytes that an analyzer's sketch has held. */
  long mostBytes() {
    return mostBytes;
  }
}
