package io.millrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogConfig;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Invalid settings are rejected with name, value and allowed range. */
class ConfigTest {
  private static final LogConfig LOG = LogConfig.defaults();
  private static final FlinkConfig JOB = FlinkConfig.defaults();

  private static void refused(String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void boundsOfTheLog() {
    refused("log.kafka: nowhere is not", () -> LOG.withKafka("nowhere"));
    refused("log.port: -1 is not", () -> LOG.withPort(-1));
    refused("log.port: 65536 is not", () -> LOG.withPort(65_536));
    refused("log.partitions: 0 is not", () -> LOG.withPartitions(0));
    refused("log.partitions: 1025 is not", () -> LOG.withPartitions(1025));
    refused("log.retention-size: 1 is not", () -> LOG.withRetention(1, Duration.ofHours(1)));
    refused(
        "log.retention: PT59S is not", () -> LOG.withRetention(1L << 30, Duration.ofSeconds(59)));
    refused("log.buffer: 1 is not", () -> LOG.withBuffer(1, Duration.ofSeconds(1)));
    refused("log.delivery-timeout", () -> LOG.withBuffer(1 << 20, Duration.ofMillis(999)));
    assertThat(LOG.withKafka("a:1,b:2").embedded()).isFalse();
    assertThat(LOG.withPartitions(1024).withPort(65_535).partitions()).isEqualTo(1024);
  }

  @Test
  void boundsOfTheJob() {
    refused("job.slots: 0 is not", () -> JOB.withSlots(0));
    refused("job.slots: 257 is not", () -> JOB.withSlots(257));
    refused("job.checkpoint-interval", () -> JOB.withCheckpointInterval(Duration.ofMillis(99)));
    refused("job.checkpoint-interval", () -> JOB.withCheckpointInterval(Duration.ofHours(25)));
    refused("job.rest-port", () -> JOB.withRestPort(65_536));
    assertThat(JOB.withCheckpointInterval(Duration.ofHours(24)).withSlots(256).slots())
        .isEqualTo(256);
  }
}
