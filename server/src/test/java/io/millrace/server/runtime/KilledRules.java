package io.millrace.server.runtime;

import io.millrace.analytics.trend.TrendSettings;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.RecordTopic;
import io.millrace.pipelines.quota.QuotaConfig;
import io.millrace.pipelines.quota.QuotaPipeline;
import io.millrace.pipelines.trends.ModelConfig;
import io.millrace.pipelines.trends.TrendSteps;
import io.millrace.pipelines.trends.TrendsConfig;
import io.millrace.pipelines.trends.TrendsPipeline;
import io.millrace.pipelines.voice.VoiceConfig;
import io.millrace.pipelines.voice.VoicePipeline;
import io.millrace.wire.record.RecordEncoding;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Process with an instance with the pipelines quota, voice and trends, on a log that outlives it,
 * to be killed. Prints {@code up} when it is up.
 */
final class KilledRules {
  static final String USAGE = "usage-in";
  static final String STREAMING = "streaming-in";
  static final String MESSAGES = "messages-in";
  static final String CHANNELS = "channels-in";
  static final String KEYWORDS = "keywords-in";
  static final List<String> TOPICS = List.of(USAGE, STREAMING, MESSAGES, CHANNELS, KEYWORDS);

  /** Settings with which nearly every keyword is a trend in each minute. */
  private static final TrendSettings EACH_CHANGE =
      TrendSettings.defaults().withBuckets(2).withRule(0.01, 0, 1).withFalls(true);

  /** Longer than the disorder between partitions and topics, so that nothing is late. */
  private static final Duration WATERMARK_DELAY = Duration.ofMinutes(30);

  private KilledRules() {}

  static MillraceConfig config(Path data, String log, int subtasks) {
    MillraceConfig config = Instances.config(data);
    QuotaConfig quota = QuotaConfig.defaults().running(subtasks, null);
    VoiceConfig voice =
        VoiceConfig.defaults().running(subtasks, data.resolveSibling("cells.csv").toString(), null);
    return config
        .withSection(config.log().withKafka(log))
        .with(
            new QuotaPipeline(
                new QuotaConfig(
                    true,
                    subtasks,
                    quota.warnPercent(),
                    quota.window(),
                    WATERMARK_DELAY,
                    quota.names(),
                    Map.of("half", "used_percent BETWEEN 50 AND 59"),
                    RecordTopic.of(USAGE, RecordEncoding.JSON),
                    RecordTopic.of(STREAMING, RecordEncoding.JSON),
                    quota.topic(),
                    ResultTopic.Release.AT_ONCE, // so that a kill has more to spoil
                    null)))
        .with(
            new VoicePipeline(
                new VoiceConfig(
                    true,
                    subtasks,
                    voice.cells(),
                    Duration.ofSeconds(1),
                    Duration.ofMinutes(5),
                    voice.hold(),
                    voice.report(),
                    voice.voiceAbove(),
                    voice.voiceBelow(),
                    1_500_000,
                    1_000_000,
                    WATERMARK_DELAY,
                    RecordTopic.of(MESSAGES, RecordEncoding.JSON),
                    RecordTopic.of(CHANNELS, RecordEncoding.JSON),
                    voice.topic(),
                    voice.release(),
                    null)))
        .with(
            new TrendsPipeline(
                TrendsConfig.defaults()
                    .running(TrendSteps.Way.STATEFUL, subtasks, ModelConfig.of(EACH_CHANGE))
                    .withWatermarkDelay(WATERMARK_DELAY)
                    .withKeywords(RecordTopic.of(KEYWORDS, RecordEncoding.JSON))
                    .withTopic("rising")));
  }

  public static void main(String[] arguments) throws Exception {
    Millrace millrace =
        new Millrace(config(Path.of(arguments[0]), arguments[1], Integer.parseInt(arguments[2])));
    millrace.start();
    System.out.println("up");
    while (true) {
      LockSupport.park();
    }
  }
}
