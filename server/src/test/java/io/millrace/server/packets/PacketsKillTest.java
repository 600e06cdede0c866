package io.millrace.server.packets;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogTopics;
import io.millrace.pipelines.apps.AppsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.count.CountConfig;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.KilledInstance;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process that counts packets and detects applications is killed repeatedly, and resumes with
 * another number of subtasks. Each packet is counted once, and flows and sums equal those of an
 * undisturbed run over the same log.
 */
class PacketsKillTest {
  private static final int LIVES = Boolean.getBoolean("millrace.long") ? 6 : 1;
  private static final int MAX_MILLIS_UP = 4_000;

  /** Blocks per process: flows begin and end within them. */
  private static final int BLOCKS = 60;

  @TempDir private Path dir;
  private final Random random = new Random(20_261_124);

  private static MillraceConfig config(Path data, String log, int subtasks) {
    MillraceConfig config = Instances.config(data);
    return config
        .withSection(config.log().withKafka(log))
        .with(new CountPipeline(CountConfig.defaults().running(subtasks, true)))
        .with(new AppsPipeline(AppsConfig.defaults().running(subtasks)));
  }

  /** An instance to be killed; the arguments are its directory, its log and its subtasks. */
  public static void main(String[] arguments) throws Exception {
    KilledInstance.run(config(Path.of(arguments[0]), arguments[1], Integer.parseInt(arguments[2])));
  }

  @Test
  void countsAndFlowsAreThoseOfAnUndisturbedRun() throws Exception {
    try (EmbeddedLog log = new EmbeddedLog(SentPackets.LOG, dir.resolve("log"))) {
      log.start();
      new LogTopics(log, SentPackets.LOG).ensure(CountPipeline.TOPIC);
      String servers = log.bootstrapServers();
      try (SentPackets packets = new SentPackets(servers)) {
        for (int life = 1; life <= LIVES; life++) {
          live(servers, 1 + life % 2, packets);
        }
        packets.send(BLOCKS);
        packets.sendLast();
        try (Millrace last = new Millrace(config(dir.resolve("data"), servers, 1))) {
          last.start();
          packets.assertSameAsUndisturbed(last);
        }
      }
    }
  }

  /** Runs a process while packets arrive, and kills it at any moment. */
  private void live(String servers, int subtasks, SentPackets packets) throws Exception {
    try (ChildProcess process =
        KilledInstance.spawn(
            PacketsKillTest.class,
            List.of(dir.resolve("data").toString(), servers, Integer.toString(subtasks)))) {
      String line = process.readLine();
      while (line != null && !line.startsWith("udp ")) {
        line = process.readLine();
      }
      assertThat(line).as("it came up").isNotNull();
      CompletableFuture.delayedExecutor(500 + random.nextInt(MAX_MILLIS_UP), TimeUnit.MILLISECONDS)
          .execute(process::kill);
      packets.send(BLOCKS);
      while (process.readLine() != null) {
        // until it is killed
      }
      assertThat(process.status()).as("killed, not failed").isEqualTo(ChildProcess.KILLED);
    }
  }
}
