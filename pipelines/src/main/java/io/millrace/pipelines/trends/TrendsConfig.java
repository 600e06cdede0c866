package io.millrace.pipelines.trends;

import static io.millrace.pipelines.JobSettings.checkSlots;
import static io.millrace.pipelines.JobSettings.require;

import io.millrace.analytics.trend.TrendSettings;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.RecordTopic;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Settings of trends of keywords. Invalid values are rejected here.
 *
 * @param enabled whether the job runs
 * @param slots number of subtasks of each step
 * @param way how the work is divided
 * @param layers of reduction in the stateless way
 * @param model definition of a trend
 * @param watermarkDelay delay of the watermark after the newest record of a partition
 * @param keywords the external topic of keywords
 * @param topic for the trends; null for none
 * @param release when results are sent
 */
@RecordBuilder
public record TrendsConfig(
    boolean enabled,
    int slots,
    TrendSteps.Way way,
    int layers,
    ModelConfig model,
    Duration watermarkDelay,
    RecordTopic keywords,
    String topic,
    ResultTopic.Release release)
    implements TrendsConfigBuilder.With {
  private static final Duration MAX_WATERMARK_DELAY = Duration.ofDays(1);

  public TrendsConfig {
    topic = ResultTopic.checkName(topic);
    checkSlots(slots);
    require(
        !watermarkDelay.isNegative() && watermarkDelay.compareTo(MAX_WATERMARK_DELAY) <= 0,
        "watermark-delay: " + watermarkDelay.toMillis() + "ms is out of range, expected 0 to 1d");
    require(
        topic == null || !topic.equals(keywords.topic()),
        "topic: " + topic + " is an input of this pipeline, and cannot receive the trends");
    new TrendSteps(TrendsPipeline.NAME, way, layers);
  }

  /** Disabled; by keyword, with the model's defaults. */
  public static TrendsConfig defaults() {
    return new TrendsConfig(
        false,
        1,
        TrendSteps.Way.STATEFUL,
        1,
        ModelConfig.of(TrendSettings.defaults()),
        Duration.ofSeconds(10),
        RecordTopic.NONE,
        null,
        ResultTopic.Release.WHEN_COVERED);
  }

  /** These settings, enabled, with other subtasks, way and model. */
  public TrendsConfig running(TrendSteps.Way other, int subtasks, ModelConfig rule) {
    return with(to -> to.enabled(true).way(other).slots(subtasks).model(rule));
  }
}
