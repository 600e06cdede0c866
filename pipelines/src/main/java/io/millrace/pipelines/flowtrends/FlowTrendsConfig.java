package io.millrace.pipelines.flowtrends;

import io.millrace.analytics.hitters.HitterKind;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.FlowInput;
import io.millrace.pipelines.trends.ModelConfig;
import io.millrace.pipelines.trends.TrendSteps;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.util.List;

/**
 * Trends of flows as they are configured. Wrong values are refused here.
 *
 * @param enabled whether they are looked for
 * @param input where the flows come from
 * @param keys by what flows are counted, as {@link HitterKind#parse} reads it
 * @param way how the work is divided
 * @param layers of reduction in the stateless way
 * @param model what is a trend
 * @param topic that gets the trends; null for none
 * @param release when they leave
 */
@RecordBuilder
public record FlowTrendsConfig(
    boolean enabled,
    FlowInput input,
    List<String> keys,
    TrendSteps.Way way,
    int layers,
    ModelConfig model,
    String topic,
    ResultTopic.Release release)
    implements FlowTrendsConfigBuilder.With, Serializable {
  /** Checks each value. */
  public FlowTrendsConfig {
    keys = List.copyOf(keys);
    if (keys.isEmpty() || keys.stream().distinct().count() < keys.size()) {
      throw new IllegalArgumentException("keys: " + keys.size() + " of them, or one twice");
    }
    for (String key : keys) {
      if (HitterKind.parse(key).isNetworks()) {
        throw new IllegalArgumentException("keys: " + key + ": name a length, as dst_addr/24");
      }
    }
    topic = ResultTopic.checkName(topic);
    new TrendSteps(FlowTrendsPipeline.NAME, way, layers);
  }

  /** Not enabled; destinations and ports, each compared with what is usual at the hour. */
  public static FlowTrendsConfig defaults() {
    return new FlowTrendsConfig(
        false,
        FlowInput.FLOWS,
        List.of("destination", "port"),
        TrendSteps.Way.STATEFUL,
        1,
        ModelConfig.of(TrendSettings.defaults().withBaseline(TrendSettings.Baseline.USUAL)),
        null,
        ResultTopic.Release.WHEN_COVERED);
  }

  /** The same, switched on, of these keys, in another way, with another model. */
  public FlowTrendsConfig running(List<String> others, TrendSteps.Way other, ModelConfig rule) {
    return new FlowTrendsConfig(true, input, others, other, layers, rule, topic, release);
  }

  /** The same, switched on. */
  public FlowTrendsConfig running() {
    return running(keys, way, model);
  }

  List<HitterKind> kinds() {
    return keys.stream().map(HitterKind::parse).toList();
  }
}
