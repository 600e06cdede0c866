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
 * Settings of trends of flows. Invalid values are rejected here.
 *
 * @param enabled whether trends are computed
 * @param input origin of the flows
 * @param keys by which flows are counted, as {@link HitterKind#parse} reads it
 * @param way how the work is divided
 * @param layers of reduction in the stateless way
 * @param model definition of a trend
 * @param topic for the trends; null for none
 * @param release when results are sent
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

  /** Not enabled; destinations and ports, each compared with the usual count at the hour. */
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

  /** The same, enabled, with other keys, another way, another model. */
  public FlowTrendsConfig running(List<String> others, TrendSteps.Way other, ModelConfig rule) {
    return new FlowTrendsConfig(true, input, others, other, layers, rule, topic, release);
  }

  /** The same, enabled. */
  public FlowTrendsConfig running() {
    return running(keys, way, model);
  }

  List<HitterKind> kinds() {
    return keys.stream().map(HitterKind::parse).toList();
  }
}
