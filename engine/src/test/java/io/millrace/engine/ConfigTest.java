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

  private static void rejected(String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void boundsOfTheLog() {
    rejected("log.kafka: nowhere is not", () -> LOG.withKafka("nowhere"));
    rejected("log.port: -1 is not", () -> LOG.withPort(-1));
    rejected("log.port: 65536 is not", () -> LOG.withPort(65_536));
    rejected("log.partitions: 0 is not", () -> LOG.withPartitions(0));
    rejected("log.partitions: 1025 is not", () -> LOG.withPartitions(1025));
    rejected("log.retention-size: 1 is not", () -> LOG.withRetention(1, Duration.ofHours(1)));
    rejected(
        "log.retention: PT59S is not", () -> LOG.withRetention(1L << 30, Duration.ofSeconds(59)));
    rejected("log.buffer: 1 is not", () -> LOG.withBuffer(1, Duration.ofSeconds(1)));
    rejected("log.delivery-timeout", () -> LOG.withBuffer(1 << 20, Duration.ofMillis(999)));
    assertThat(LOG.withKafka("a:1,b:2").embedded()).isFalse();
    assertThat(LOG.withPartitions(1024).withPort(65_535).partitions()).isEqualTo(1024);
  }

  @Test
  void boundsOfTheJob() {
    rejected("job.slots: 0 is not", () -> JOB.withSlots(0));
    rejected("job.slots: 257 is not", () -> JOB.withSlots(257));
    rejected("job.checkpoint-interval", () -> JOB.withCheckpointInterval(Duration.ofMillis(99)));
    rejected("job.checkpoint-interval", () -> JOB.withCheckpointInterval(Duration.ofHours(25)));
    rejected("job.rest-port", () -> JOB.withRestPort(65_536));
    assertThat(JOB.withCheckpointInterval(Duration.ofHours(24)).withSlots(256).slots())
        .isEqualTo(256);
  }
}
