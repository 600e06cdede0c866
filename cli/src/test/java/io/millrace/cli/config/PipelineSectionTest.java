package io.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.RecordTopic;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.ads.AdsPipeline;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.record.RecordEncoding;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.junit.jupiter.api.Test;

/** A pipeline outside of the module has a section with its name. */
class PipelineSectionTest {
  private static final MillraceConfig DEFAULTS =
      MillraceConfig.defaults().with(new OwnPipeline(new OwnConfig(false, Duration.ofSeconds(5))));

  record OwnConfig(boolean enabled, Duration window) {
    OwnConfig {
      if (window.isZero()) {
        throw new IllegalArgumentException("window: 0 is not at least 1ms");
      }
    }
  }

  record OwnPipeline(OwnConfig config) implements FlowPipeline {
    @Override
    public String name() {
      return "own";
    }

    @Override
    public OwnPipeline with(Record other) {
      return new OwnPipeline((OwnConfig) other);
    }

    @Override
    public boolean enabled() {
      return config.enabled();
    }

    @Override
    public List<ResultSpec> tables() {
      return List.of();
    }

    @Override
    public String inCounter() {
      return "own.rowsIn";
    }

    @Override
    public List<String> storeSteps() {
      return List.of();
    }

    @Override
    public void addTo(DataStream<FlowBlock> flows, Run run) {}
  }

  private static MillraceConfig read(String yaml) {
    return YamlFile.parse(yaml, "c.yaml", DEFAULTS);
  }

  @Test
  void itsSectionIsReadAndWritten() {
    MillraceConfig config = read("own: {window: 90s}\ngateways: {enabled: true}");
    assertThat(config.pipeline(OwnPipeline.class).config())
        .isEqualTo(new OwnConfig(false, Duration.ofSeconds(90)));
    assertThat(ConfigWriter.yaml(config)).contains("\nown:\n  enabled: false\n  window: 90s\n");
    assertThat(read(ConfigWriter.yaml(config))).isEqualTo(config);
  }

  @Test
  void externalTopicsHaveTheirOwnSection() {
    MillraceConfig config =
        read(
            """
            ads:
              events:
                topic: ad-events
                bootstrap: kafka-1:9092,kafka-2:9092
                format: avro
                properties: {security.protocol: SSL}
            """);
    assertThat(config.pipeline(AdsPipeline.class).config().events())
        .isEqualTo(
            new RecordTopic(
                "ad-events",
                "kafka-1:9092,kafka-2:9092",
                RecordEncoding.AVRO,
                Map.of("security.protocol", "SSL")));
    assertThat(read("ads: {slots: 2}").pipeline(AdsPipeline.class).config().events())
        .isEqualTo(RecordTopic.NONE);
    assertThatThrownBy(() -> read("data: x\nads:\n  events:\n    topic: a topic"))
        .hasMessage("ads.events.topic: a topic is not a topic name (c.yaml:4)");
    assertThatThrownBy(() -> read("ads: {events: {topic: a, format: csv}}"))
        .hasMessageContaining("ads.events.format: ");
    assertThat(read(ConfigWriter.yaml(config))).isEqualTo(config);
  }

  @Test
  void itRunsIfEnabled() {
    assertThat(read("own: {window: 1s}").shared().attached()).isEmpty();
    assertThat(read("own: {enabled: true}").shared().attached())
        .containsExactly(new OwnPipeline(new OwnConfig(true, Duration.ofSeconds(5))));
  }

  @Test
  void invalidKeysAndValuesAreRejectedWithTheirLine() {
    assertThatThrownBy(() -> read("data: x\nown: {windwo: 1s}"))
        .hasMessage("own.windwo: unknown key; did you mean own.window? (c.yaml:2)");
    assertThatThrownBy(() -> read("data: x\nown: {window: 0}"))
        .hasMessage("own.window: 0 is not at least 1ms (c.yaml:2)");
    assertThatThrownBy(() -> read("ownn: {}")).hasMessageContaining("did you mean own?");
  }
}
