package io.millrace.lab.ads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.lab.rivals.JavaRival;
import io.millrace.pipelines.ads.AdRedis;
import io.millrace.pulse.ChildProcess;
import io.millrace.testing.Await;
import io.millrace.traffic.ads.AdTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A repeatedly killed process counts each view once. */
class AdsKillIT {
  private static final Duration WINDOW = Duration.ofSeconds(10);
  private static final int EVENTS_A_LIFE = 30_000;
  private static final int KILLS = Boolean.getBoolean("millrace.long") ? 6 : 1;

  @TempDir private Path directory;

  private ChildProcess start(EmbeddedLog log, AdTopic topic, RedisServer redis, int life)
      throws Exception {
    List<String> arguments =
        List.of(
            log.bootstrapServers(),
            topic.name(),
            "127.0.0.1",
            Integer.toString(redis.port()),
            "2",
            Long.toString(WINDOW.toMillis()),
            "100");
    return JavaRival.java(
        directory.resolve("life" + life),
        AdsProcess.class.getName(),
        JavaRival.ownClassPath(),
        List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g"),
        AdsProcess.arguments(
            arguments, directory.resolve("data"), Duration.ofMillis(300), AdsProcess.Place.HERE));
  }

  @Test
  void countsInRedisAreExactAfterKills() throws Exception {
    assumeThat(RedisServer.require()).isEmpty();
    long start = System.currentTimeMillis() - Duration.ofHours(1).toMillis();
    AdTrace trace = new AdTrace(start, 1_000, true, true, 42);
    try (RedisServer redis = RedisServer.start(directory.resolve("redis"));
        AdRedis counts = redis.connect();
        EmbeddedLog log = new EmbeddedLog(LogConfig.defaults(), directory.resolve("log"))) {
      log.start();
      counts.put(trace.ads());
      try (AdTopic topic = new AdTopic(log, "ad-events", trace, WINDOW)) {
        long before = 0;
        for (int life = 0; life < KILLS; life++) {
          try (ChildProcess process = start(log, topic, redis, life)) {
            topic.fill(EVENTS_A_LIFE);
            long seen = before;
            Await.until("results of life " + life, () -> counts.seen().views() > seen);
            topic.fill(EVENTS_A_LIFE);
            process.kill();
            before = counts.seen().views();
          }
        }
        try (ChildProcess process = start(log, topic, redis, KILLS)) {
          topic.fill(EVENTS_A_LIFE);
          topic.finish();
          Await.until(
              "all views", () -> counts.seen().views() >= topic.allViews() || !process.isAlive());
          assertThat(topic.differences(counts.windows(), true)).as(process.output()).isEmpty();
          assertThat(process.output()).as("the job is never restarted").doesNotContain("Exception");
        }
      }
    }
  }
}
