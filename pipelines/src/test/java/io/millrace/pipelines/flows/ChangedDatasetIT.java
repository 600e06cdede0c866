package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetHandle;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.table.TableTopic;
import io.millrace.pipelines.datasets.DatasetVersions;
import io.millrace.pipelines.datasets.DatasetWatch;
import io.millrace.pipelines.datasets.SharedDatasets;
import io.millrace.testing.Await;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data set's file is replaced while joiners run. */
class ChangedDatasetIT {
  private static final Duration DELAY = Duration.ofMillis(600);

  @TempDir Path dir;
  private EmbeddedLog log;
  private TableTopic<DatasetVersions> topic;
  private List<DatasetConfig> configs;
  private List<DatasetHandle> handles;
  private DatasetWatch watch;
  private final List<FlowJoiner> joiners = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    log = new EmbeddedLog(LogConfig.defaults(), dir.resolve("log"));
    log.start();
    topic = DatasetVersions.topic(log.bootstrapServers(), DELAY);
    topic.ensure(new LogTopics(log, LogConfig.defaults()));
    topic.publishFirst(new byte[0]);
    replace("1.0.0.0,1.0.0.255,1");
    configs =
        List.of(
            DatasetConfig.parse(
                "asn",
                "range",
                List.of(dir.resolve("asn.csv")),
                List.of("start", "end", "as:number"),
                Map.of("src_addr", "src_"),
                false,
                64));
    handles = SharedDatasets.acquire(configs);
    watch = new DatasetWatch(configs, handles, topic);
    watch.start();
  }

  @AfterEach
  void stop() {
    joiners.forEach(FlowJoiner::close);
    watch.close();
    SharedDatasets.release(configs, handles);
    log.close();
  }

  private void replace(String... lines) throws IOException {
    Path other = Files.write(dir.resolve("other.csv"), List.of(lines));
    Files.move(other, dir.resolve("asn.csv"), StandardCopyOption.REPLACE_EXISTING);
  }

  private FlowJoiner joiner() throws Exception {
    FlowJoiner joiner = new FlowJoiner(configs, topic::open);
    joiner.open(AnalyzerContext.alone());
    joiners.add(joiner);
    return joiner;
  }

  /** The AS of 1.0.0.1 in a block with the given arrival. */
  private static int as(FlowJoiner joiner, Instant arrival) {
    FlowBlock block = new FlowBlock(1);
    block.longs(FlowColumn.TIME)[0] = arrival.toEpochMilli() * 1_000;
    block.addressHigh(FlowColumn.SRC_ADDR)[0] = 0;
    block.addressLow(FlowColumn.SRC_ADDR)[0] = Addresses.v4Low(0x01000001);
    block.rows(1);
    joiner.process(block, out -> {});
    return block.joined().get(0).values()[0];
  }

  private DatasetWatch.Status status() {
    return watch.status().get(0);
  }

  /** Start of validity of the file's content, after waiting for it. */
  private Instant taken(long before) {
    Await.until("the file is taken", () -> status().fingerprint() != before);
    Instant[] from = new Instant[1];
    Await.until(
        "it holds",
        () -> {
          from[0] = status().holdsFrom().orElse(Instant.MAX);
          return status().problem().isEmpty() && Instant.now().isAfter(from[0]);
        });
    return from[0];
  }

  @Test
  void aChangedFileTakesEffectForAllAtOnceAndAnInvalidOneIsRejected() throws Exception {
    FlowJoiner one = joiner();
    FlowJoiner other = joiner();
    assertThat(as(one, Instant.now())).isEqualTo(1);
    assertThat(as(other, Instant.now())).isEqualTo(1);
    Await.until("the first content is published", () -> status().holdsFrom().isPresent());
    Instant first = status().holdsFrom().orElseThrow();

    long before = status().fingerprint();
    replace("1.0.0.0,1.0.0.255,2", "2.0.0.0,2.0.0.255,9");
    Await.until(
        "another content is published", () -> !status().holdsFrom().orElseThrow().equals(first));
    Instant from = taken(before);
    assertThat(status().entries()).isEqualTo(2);
    FlowJoiner restarted = joiner();
    for (FlowJoiner each : List.of(one, other, restarted)) {
      assertThat(as(each, from.minusMillis(1))).isEqualTo(1);
      assertThat(as(each, from)).isEqualTo(2);
    }

    before = status().fingerprint();
    replace("1.0.0.0,1.0.0.255,3", "this is no line of it");
    Await.until("it is rejected", () -> status().problem().isPresent());
    assertThat(status().problem().orElseThrow()).contains("asn.csv", "2").doesNotContain("\n");
    assertThat(status().fingerprint()).isEqualTo(before);
    assertThat(as(one, Instant.now())).isEqualTo(2);

    replace("1.0.0.0,1.0.0.255,4");
    taken(before);
    assertThat(status().problem()).isEmpty();
    Await.until("the mended one holds", () -> as(one, Instant.now()) == 4);
    assertThat(as(other, Instant.now())).isEqualTo(4);
  }
}
