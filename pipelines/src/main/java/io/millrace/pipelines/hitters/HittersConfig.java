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
 * Heavy hitters as they are configured.
 *
 * @param enabled whether they are looked for
 * @param input where the flows come from
 * @param keys what flows are counted by, as {@link HitterKind#parse} reads it
 * @param measure what is added up
 * @param epoch length of an epoch
 * @param threshold from which on a key is reported, as {@link Threshold#parse} reads it
 * @param memoryBytes for the keys of each of {@code keys} and of each open epoch
 * @param algorithm with what it goes on where keys do not fit into that
 * @param parallel how the work is divided
 * @param layers in which split counts are merged
 * @param topic that gets the results; null for none
 * @param release when they leave
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

  /** What counts keys that do not fit into the memory. */
  public enum Sketch {
    /** MV-Sketch of each of the keys. */
    MV(Algorithm.MV),
    /** CocoSketch of one key of all columns, from which all keys are derived. */
    COCO(Algorithm.COCO),
    /** LD-Sketch of each of the keys. */
    LD(Algorithm.LD),
    /** Frequent items of Apache DataSketches, of each of the keys. */
    FREQUENT_ITEMS(Algorithm.FREQUENT_ITEMS),
    /** Sequential Hashing of each of the keys. */
    SEQHASH(Algorithm.SEQHASH),
    /** Fast Sketch of each of the keys. */
    FAST(Algorithm.FAST),
    /** Combinatorial group testing of each of the keys. */
    CGT(Algorithm.CGT);

    private final Algorithm algorithm;

    Sketch(Algorithm algorithm) {
      this.algorithm = algorithm;
    }
  }

  /** How the work is divided over subtasks. */
  public enum Parallel {
    /** By key: each key is counted by one of them. */
    KEYED,
    /** Anyhow: each counts what it has, and the counts are merged. */
    SPLIT
  }

  /** Copies the keys, and checks that all of it can be meant. */
  public HittersConfig {
    keys = List.copyOf(keys);
    topic = ResultTopic.checkName(topic);
    if (epoch.compareTo(LONGEST_EPOCH) > 0) {
      throw new IllegalArgumentException("epoch: " + epoch + " is not 1s to 1d");
    }
    Reductions.checkLayers(layers);
    settings(keys, measure, epoch, threshold, memoryBytes, algorithm, 0);
  }

  /** Not enabled; by source, destination and 5-tuple, what has 1% of a minute's bytes. */
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

  /**
   * The same for the steps.
   *
   * @param seed of the sketches
   */
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
