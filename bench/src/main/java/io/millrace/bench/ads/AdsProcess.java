package io.millrace.bench.ads;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.RecordTopic;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.Shared;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.ads.AdsConfig;
import io.millrace.pipelines.ads.AdsPipeline;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.record.RecordEncoding;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * The pipeline {@code ads} in a process of its own, with its store and its stream engine, on a log
 * and a Redis of others. It goes on from its last checkpoint, until it is ended.
 */
public final class AdsProcess {
  private static final String STORE = "ads-process";

  private AdsProcess() {}

  static List<String> arguments(List<String> rivals, Path data, Duration checkpoints) {
    return Stream.concat(rivals.stream(), Stream.of(data + "", checkpoints.toMillis() + ""))
        .toList();
  }

  /**
   * As {@link #arguments} has them: those of all engines (KAFKA TOPIC REDIS_HOST REDIS_PORT
   * SUBTASKS WINDOW_MILLIS LATENESS_MILLIS), directory, milliseconds between checkpoints.
   */
  public static void main(String[] arguments) throws InterruptedException {
    int subtasks = Integer.parseInt(arguments[4]);
    Path data = Path.of(arguments[7]);
    AdsConfig config =
        new AdsConfig(
            true,
            subtasks,
            RecordTopic.of(arguments[1], RecordEncoding.JSON),
            "redis://" + arguments[2] + ':' + arguments[3],
            Duration.ofMillis(Long.parseLong(arguments[5])),
            Duration.ofMillis(Long.parseLong(arguments[6])),
            AdsConfig.defaults().updates());
    DuckDbStore store = new DuckDbStore(data.resolve("store"), StoreConfig.defaults());
    LocalStores.add(STORE, store);
    AdsPipeline pipeline = new AdsPipeline(config);
    pipeline.tables().forEach(store::results);
    EmbeddedFlink flink =
        new EmbeddedFlink(
            FlinkConfig.defaults()
                .withSlots(subtasks)
                .withCheckpointInterval(Duration.ofMillis(Long.parseLong(arguments[8]))),
            data.resolve("checkpoints"));
    flink.start();
    Run run =
        Run.live(
            arguments[0], new StoreLink.Local(STORE), Shared.of(Map.of(), Duration.ZERO), subtasks);
    flink.submit(AdsPipeline.NAME, subtasks, pipeline.job(run));
    new CountDownLatch(1).await(); // until the process is ended
  }
}
