package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.Block;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Makes partial results fewer, in layers.
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
 * combines what two neighbours give, or passes on what one gives. So no thread ever takes more than
 * two inputs, and the work of a layer runs beside that of the others.
 */
public final class Reductions {
  /** Rows that the clock brings about are at the next layer by then. */
  private static final Duration MORE_PATIENCE = Duration.ofSeconds(1);

  /** Most layers of {@link #halve} and a last step: 128 subtasks are two in front of that. */
  public static final int MOST_LAYERS = 7;

  private Reductions() {}

  /** Checks a number of layers, the last step among them; an {@link IllegalArgumentException}. */
  public static void checkLayers(int layers) {
    if (layers < 1 || layers > MOST_LAYERS) {
      throw new IllegalArgumentException("layers: " + layers + " is not in 1 to " + MOST_LAYERS);
    }
  }

  /**
   * The results of the last layer.
   *
   * @param partials with the parallelism that they are made with
   * @param uid name of the steps, in metrics and in checkpoints, with the layer's number behind it;
   *     never to be changed
   * @param type what kind of blocks come in and out
   * @param layers at most: those behind the first that has a single subtask are left out. The first
   *     is there also for a single subtask, which may have given a result in parts. With 0 the
   *     partial results stay as they are
   * @param quiet patience of what comes in, as of {@link Analyzers#analyze(DataStream, String,
   *     BlockTypeInfo, int, Optional, AnalyzerFactory)}; each layer has a little more
   * @param inner makes the analyzers of the layers before the last; each adds up blocks and emits
   *     them when its watermark, the lesser of both inputs', has passed them, or when it falls idle
   * @param last makes those of the last layer, which emit a window once
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
      throw new IllegalArgumentException(layers + " layers of " + uid + ": 0 or more");
    }
    DataStream<B> reduced = partials;
    Optional<Duration> patience = quiet;
    boolean isLast = layers == 0;
    for (int layer = 1; !isLast; layer++) {
      int width = width(reduced.getParallelism(), 1);
      isLast = layer == layers || width == 1;
      patience = patience.map(shorter -> shorter.plus(MORE_PATIENCE));
      // Flink's rescale joins neighbours: of p senders, receiver i of q has those from ⌊i·p/q⌋ on.
      reduced =
          Analyzers.analyze(
              reduced.rescale(), uid + "-" + layer, type, width, patience, isLast ? last : inner);
    }
    return reduced;
  }

  /**
   * The results of so many layers, also where the first of them has a single subtask: the steps of
   * the job are the same for any number of subtasks, so state of a job with more of them is at home
   * in one with fewer.
   *
   * @param layers 0 or more
   * @param quiet as of {@link #reduce}
   * @param more by how much each layer is more patient than the one in front of it
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

  /** Subtasks of the last of so many layers behind {@code width} subtasks. */
  public static int width(int width, int layers) {
    int left = width;
    for (int layer = 0; layer < layers && left > 1; layer++) {
      left = (left + 1) / 2;
    }
    return left;
  }
}
