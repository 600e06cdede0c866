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
 * @param keys by which flows are counted, in the syntax of {@link HitterKind#parse}
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
  public FlowTrendsConfig {
    keys = List.copyOf(keys);
    if (keys.isEmpty() || keys.stream().distinct().count() < keys.size()) {
      throw new IllegalArgumentException(
          "keys: " + keys.size() + " keys, expected at least one, without duplicates");
    }
    for (String key : keys) {
      if (HitterKind.parse(key).isNetworks()) {
        throw new IllegalArgumentException(
            "keys: " + key + ": expected a prefix length, such as dst_addr/24");
      }
    }
    topic = ResultTopic.checkName(topic);
    new TrendSteps(FlowTrendsPipeline.NAME, way, layers);
  }

  /** Disabled; destinations and ports, compared with the usual count at the same hour. */
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

  /** These settings, enabled, with other keys, way and model. */
  public FlowTrendsConfig running(List<String> others, TrendSteps.Way other, ModelConfig rule) {
    return new FlowTrendsConfig(true, input, others, other, layers, rule, topic, release);
  }

  /** These settings, enabled. */
  public FlowTrendsConfig running() {
    return running(keys, way, model);
  }

  List<HitterKind> kinds() {
    return keys.stream().map(HitterKind::parse).toList();
  }
}
