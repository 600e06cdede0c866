package io.millrace.pipelines.hitters;

import io.millrace.analytics.hitters.HitterKind;
import io.millrace.analytics.hitters.HitterSettings;
import io.millrace.analytics.hitters.HitterSettings.Measure;
import io.millrace.analytics.hitters.Threshold;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.engine.operator.Reductions;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.FlowInput;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;

/**
 * Settings of heavy hitters.
 *
 * @param enabled whether heavy hitters are computed
 * @param input origin of the flows
 * @param keys by which flows are counted, in the syntax of {@link HitterKind#parse}
 * @param measure that is summed
 * @param epoch length of an epoch
 * @param threshold from which a key is reported, in the syntax of {@link Threshold#parse}
 * @param memoryBytes memory for each of {@code keys} and each open epoch
 * @param algorithm sketch used when keys exceed that memory
 * @param parallel how the work is divided
 * @param layers number of layers in which split counts are merged
 * @param topic for the results; null for none
 * @param release when results are sent
 */
@RecordBuilder
public record HittersConfig(
    boolean enabled,
    FlowInput input,
    List<String> keys,
    Measure measure,
    Duration epoch,
    String threshold,
    long memoryBytes,
    Sketch algorithm,
    Parallel parallel,
    int layers,
    String topic,
    ResultTopic.Release release)
    implements HittersConfigBuilder.With, Serializable {
  private static final Duration LONGEST_EPOCH = Duration.ofDays(1);

  /** Sketch for keys that exceed the memory. */
  public enum Sketch {
    /** MV-Sketch for each of the keys. */
    MV(Algorithm.MV),
    /** One CocoSketch of a key with all columns, from which all keys are derived. */
    COCO(Algorithm.COCO),
    /** LD-Sketch for each of the keys. */
    LD(Algorithm.LD),
    /** Frequent items of Apache DataSketches, for each of the keys. */
    FREQUENT_ITEMS(Algorithm.FREQUENT_ITEMS),
    /** Sequential Hashing for each of the keys. */
    SEQHASH(Algorithm.SEQHASH),
    /** Fast Sketch for each of the keys. */
    FAST(Algorithm.FAST),
    /** Combinatorial group testing for each of the keys. */
    CGT(Algorithm.CGT);

    private final Algorithm algorithm;

    Sketch(Algorithm algorithm) {
      this.algorithm = algorithm;
    }
  }

  /** How the work is divided over subtasks. */
  public enum Parallel {
    /** By key: each key is counted by one subtask. */
    KEYED,
    /** Arbitrarily: each subtask counts its rows, and the counts are merged. */
    SPLIT
  }

  public HittersConfig {
    keys = List.copyOf(keys);
    topic = ResultTopic.checkName(topic);
    if (epoch.compareTo(LONGEST_EPOCH) > 0) {
      throw new IllegalArgumentException("epoch: " + epoch + " is out of range, expected 1s to 1d");
    }
    Reductions.checkLayers(layers);
    settings(keys, measure, epoch, threshold, memoryBytes, algorithm, 0);
  }

  /** Disabled; by source, destination and 5-tuple, at least 1% of a minute's bytes. */
  public static HittersConfig defaults() {
    return new HittersConfig(
        false,
        FlowInput.FLOWS,
        List.of("source", "destination", "5-tuple"),
        Measure.BYTES,
        Duration.ofMinutes(1),
        "1%",
        16 << 20,
        Sketch.MV,
        Parallel.SPLIT,
        1,
        null,
        ResultTopic.Release.WHEN_COVERED);
  }

  HitterSettings settings(long seed) {
    return settings(keys, measure, epoch, threshold, memoryBytes, algorithm, seed);
  }

  private static HitterSettings settings(
      List<String> keys,
      Measure measure,
      Duration epoch,
      String threshold,
      long memoryBytes,
      Sketch sketch,
      long seed) {
    return new HitterSettings(
        keys.stream().map(HitterKind::parse).toList(),
        measure,
        epoch.toNanos() / 1_000,
        Threshold.parse(threshold),
        memoryBytes,
        sketch.algorithm,
        seed);
  }
}
