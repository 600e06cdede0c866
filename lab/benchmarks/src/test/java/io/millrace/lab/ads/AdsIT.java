package io.millrace.lab.ads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.RemoteLog;
import io.millrace.pipelines.RecordTopic;
import io.millrace.pipelines.ads.AdRedis;
import io.millrace.pipelines.ads.AdsConfig;
import io.millrace.pipelines.ads.AdsPipeline;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.server.flight.FlightConfig;
import io.millrace.server.replay.Replay;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import io.millrace.traffic.ads.AdTrace;
import io.millrace.wire.record.RecordEncoding;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The events of a topic are counted in the table and in Redis; a replay does not write to Redis.
 */
class AdsIT {
  private static final Duration WINDOW = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int EVENTS = 50_000;

  @TempDir private Path directory;

  private MillraceConfig config(RedisServer redis) {
    return MillraceConfig.defaults()
        .withData(directory.resolve("data"))
        .withSection(
            CollectorConfig.defaults()
                .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .withSection(FlinkConfig.defaults().withCheckpointInterval(Duration.ofMillis(500)))
        .withSection(HttpConfig.DEFAULTS.withPort(0))
        .withSection(FlightConfig.DEFAULTS.withoutListening())
        .withSection(RollupConfig.NONE)
        .with(
            new AdsPipeline(
                AdsConfig.defaults()
                    .running(
                        2,
                        RecordTopic.of("ad-events", RecordEncoding.JSON),
                        redis.url().toString())));
  }

  private static long number(Millrace millrace, String sql) {
    try (QueryResult result = millrace.store().query(new QueryRequest(sql, PATIENCE, 1))) {
      return result.next() ? ((Number) result.value(0)).longValue() : 0;
    }
  }

  private static long views(Millrace millrace, String table) {
    return number(millrace, "SELECT coalesce(sum(views), 0)::BIGINT FROM " + table);
  }

  @Test
  void countsViewsInTheTableAndInRedis() throws Exception {
    assumeThat(RedisServer.require()).isEmpty();
    long start = System.currentTimeMillis() - Duration.ofHours(1).toMillis();
    AdTrace trace = new AdTrace(start, 1_000, false, true, 7);
    try (RedisServer redis = RedisServer.start(directory.resolve("redis"));
        AdRedis counts = redis.connect();
        Millrace millrace = new Millrace(config(redis))) {
      counts.put(trace.ads());
      millrace.start();
      RemoteLog log = new RemoteLog(LogConfig.defaults().withKafka(millrace.bootstrapServers()));
      log.start();
      try (AdTopic topic = new AdTopic(log, "ad-events", trace, WINDOW)) {
        topic.fill(EVENTS);
        topic.finish();
        long all = topic.allViews();
        Await.until("the table", () -> views(millrace, "ad_views") == all);
        Await.until("Redis", () -> counts.seen().views() == all);
        assertThat(topic.differences(counts.windows(), true)).isEmpty();
        assertThat(number(millrace, "SELECT count(*) FROM ad_views"))
            .isEqualTo(topic.views().size());
        assertReadByTheScriptOfTheExample(redis, topic);

        List<AdRedis.Window> before = counts.windows();
        Replay replay =
            millrace.replays().start("ads", Instant.EPOCH, Instant.now().plusSeconds(60));
        Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
        assertThat(replay.failure()).isNull();
        assertThat(views(millrace, replay.name() + "_ad_views")).isEqualTo(all);
        assertThat(counts.windows()).containsExactlyInAnyOrderElementsOf(before);
      } finally {
        log.close();
      }
    }
  }

  /** A script that reads the keys like the benchmark's reader finds each window. */
  private void assertReadByTheScriptOfTheExample(RedisServer redis, AdTopic topic)
      throws Exception {
    String stats =
        ChildProcess.run(
            directory.resolve("stats.out"),
            PATIENCE,
            List.of(
                "sh",
                Path.of("../../examples/ads/get-stats.sh").toAbsolutePath().toString(),
                Integer.toString(redis.port())));
    List<String[]> lines = stats.lines().map(line -> line.split(" ", -1)).toList();
    assertThat(lines)
        .hasSize(topic.views().size())
        .allSatisfy(line -> assertThat(Long.parseLong(line[1])).isGreaterThan(WINDOW.toMillis()));
    assertThat(lines.stream().mapToLong(line -> Long.parseLong(line[0])).sum())
        .isEqualTo(topic.allViews());
  }
}
