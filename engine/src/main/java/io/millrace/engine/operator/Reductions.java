package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.Block;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Merges partial results, in layers.
 *
 * <pre>
 *   partials    0   1   2   3   4
 *               |    \ /     \ /
 *   layer 1     0     1       2
 *               |      \     /
 *   layer 2     0         1
 *                \       /
 *   layer 3          0
 * </pre>
 *
 * Each layer has half as many subtasks as the one before, rounded up, and each of its subtasks
 * merges the results of two neighbours, or forwards those of one. So no thread has more than two
 * inputs, and the layers work concurrently.
 */
public final class Reductions {
  /** Within this time, rows emitted by the clock reach the next layer. */
  private static final Duration MORE_TIMEOUT = Duration.ofSeconds(1);

  /**
   * Maximum number of layers of {@link #halve} plus a last step: they reduce 128 subtasks to two
   * before it.
   */
  public static final int MAX_LAYERS = 7;

  private Reductions() {}

  /**
   * Checks a number of layers, including the last step.
   *
   * @throws IllegalArgumentException if it is out of range
   */
  public static void checkLayers(int layers) {
    if (layers < 1 || layers > MAX_LAYERS) {
      throw new IllegalArgumentException(
          "layers: " + layers + " is out of range, expected 1 to " + MAX_LAYERS);
    }
  }

  /**
   * The results of the last layer.
   *
   * @param partials partial results; the first layer has half of their parallelism
   * @param uid prefix of the names of the steps, in metrics and in checkpoints, followed by the
   *     layer's number; must never change
   * @param type of input and output blocks
   * @param layers maximum number: layers with a single subtask are omitted, except the first layer,
   *     since even a single upstream subtask may emit a result in parts. 0 returns the partial
   *     results
   * @param quiet idle timeout of the input, see {@link Analyzers#analyze(DataStream, String,
   *     BlockTypeInfo, int, Optional, AnalyzerFactory)}; each layer has a slightly longer one
   * @param inner creates the analyzers of the layers before the last; each merges blocks and emits
   *     them when its watermark, the minimum of both inputs, has passed them, or when it becomes
   *     idle
   * @param last creates the analyzers of the last layer, which emit each window once
   */
  public static <B extends Block> DataStream<B> reduce(
      DataStream<B> partials,
      String uid,
      BlockTypeInfo<B> type,
      int layers,
      Optional<Duration> quiet,
      AnalyzerFactory<? extends Analyzer<B, B>> inner,
      AnalyzerFactory<? extends Analyzer<B, B>> last) {
    if (layers < 0) {
      throw new IllegalArgumentException(layers + " layers of " + uid + ": expected 0 or more");
    }
    DataStream<B> reduced = partials;
    Optional<Duration> timeout = quiet;
    boolean isLast = layers == 0;
    for (int layer = 1; !isLast; layer++) {
      int width = width(reduced.getParallelism(), 1);
      isLast = layer == layers || width == 1;
      timeout = timeout.map(shorter -> shorter.plus(MORE_TIMEOUT));
      // Flink's rescale connects neighbours: of p senders, receiver i of q has those from ⌊i·p/q⌋
      // on.
      reduced =
          Analyzers.analyze(
              reduced.rescale(), uid + "-" + layer, type, width, timeout, isLast ? last : inner);
    }
    return reduced;
  }

  /**
   * The results of {@code layers} layers, none omitted. The job has the same steps for any
   * parallelism, so state of a job with more subtasks can be restored in one with fewer.
   *
   * @param layers 0 or more
   * @param quiet as for {@link #reduce}
   * @param more additional idle timeout of each layer compared with the previous one
   */
  public static <B extends Block> DataStream<B> halve(
      DataStream<B> partials,
      String uid,
      BlockTypeInfo<B> type,
      int layers,
      Duration quiet,
      Duration more,
      AnalyzerFactory<? extends Analyzer<B, B>> inner) {
    DataStream<B> reduced = partials;
    for (int layer = 1; layer <= layers; layer++) {
      reduced =
          Analyzers.analyze(
              reduced.rescale(),
              uid + "-" + layer,
              type,
              width(reduced.getParallelism(), 1),
              Optional.of(quiet.plus(more.multipliedBy(layer))),
              inner);
    }
    return reduced;
  }

  /** Number of subtasks of the last of {@code layers} layers after {@code width} subtasks. */
  public static int width(int width, int layers) {
    int left = width;
    for (int layer = 0; layer < layers && left > 1; layer++) {
      left = (left + 1) / 2;
    }
    return left;
  }
}
