package io.millrace.engine.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.Frontier;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedLogIT {
  private static Config topicSettings(EmbeddedLog log, String topic) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", log.bootstrapServers()))) {
      return admin.describeConfigs(List.of(resource)).all().get().get(resource);
    }
  }

  @Test
  void aRestartKeepsTheDataAndFollowsNewRetention(@TempDir Path directory) throws Exception {
    LogConfig config =
        LogConfig.defaults().withPartitions(2).withRetention(256L << 20, Duration.ofHours(3));
    try (EmbeddedLog log = new EmbeddedLog(config, directory)) {
      log.start();
      assertThat(new LogTopics(log, config).ensure("flows").created()).isTrue();
      Config settings = topicSettings(log, "flows");
      assertThat(settings.get("retention.bytes").value()).isEqualTo("" + (128L << 20));
      assertThat(settings.get("retention.ms").value()).isEqualTo("10800000");
      try (LogWriter writer = new LogWriter(log.bootstrapServers(), "flows", config)) {
        for (int i = 0; i < 10; i++) {
          assertThat(writer.offer(null, new byte[1000], 1)).isTrue();
        }
      }
    }

    LogConfig other = config.withPartitions(3).withRetention(512L << 20, Duration.ofHours(1));
    try (EmbeddedLog log = new EmbeddedLog(other, directory)) {
      log.start();
      LogTopics.Topic topic = new LogTopics(log, other).ensure("flows");
      assertThat(topic.created()).isFalse();
      assertThat(topic.partitions()).isEqualTo(2);
      assertThat(topic.difference()).get().asString().contains("flows has 2 partitions");
      Config settings = topicSettings(log, "flows");
      assertThat(settings.get("retention.bytes").value()).isEqualTo("" + (256L << 20));
      assertThat(settings.get("retention.ms").value()).isEqualTo("3600000");
      assertThat(log.diskBytes()).isPositive();
      try (LogOffsets offsets = new LogOffsets(log.bootstrapServers(), "flows")) {
        assertThat(offsets.end()).isEqualTo(new Frontier(Map.of(0, 5L, 1, 5L)));
      }
    }
  }

  @Test
  void damagedFilesAreReportedWithAdvice(@TempDir Path directory) throws Exception {
    LogConfig config = LogConfig.defaults();
    try (EmbeddedLog log = new EmbeddedLog(config, directory)) {
      log.start();
    }
    Files.write(directory.resolve("meta.properties"), new byte[0]);
    try (EmbeddedLog log = new EmbeddedLog(config, directory)) {
      assertThatThrownBy(log::start)
          .isInstanceOf(LogException.class)
          .hasMessageContaining("move the directory " + directory + " away and start again");
    }
  }

  @Test
  void aTakenPortIsNotTakenForDamage(@TempDir Path directory) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        EmbeddedLog log =
            new EmbeddedLog(LogConfig.defaults().withPort(taken.getLocalPort()), directory)) {
      assertThatThrownBy(log::start)
          .isInstanceOf(LogException.class)
          .hasMessageEndingWith("; choose another log.port");
    }
  }
}
