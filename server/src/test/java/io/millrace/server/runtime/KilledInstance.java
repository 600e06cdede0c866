package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.collect.LossLedger;
import io.millrace.store.rollup.RollupConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * An instance in a process of its own, to be killed. Says {@code udp PORT} when it is up, then
 * {@code received N logged M checkpoint C} whenever that has changed: datagrams of this life and of
 * all lives, and the last checkpoint of this life, 0 before the first.
 */
public final class KilledInstance {
  /** To look costs a picture of the whole job. */
  private static final long POLL_NANOS = 25_000_000;

  private static final int BURST = 5;
  private static final int BURSTS_AFTER_CHECKPOINT = 20;
  private static final List<byte[]> TAKEN = new ArrayList<>();

  private KilledInstance() {}

  public static void main(String[] arguments) throws Exception {
    Path data = Path.of(arguments[0]);
    DataDirectory.keepTemporaryFiles(data);
    MillraceConfig config = config(data);
    if (arguments.length > 1) {
      config =
          Instances.config(data)
              .withSection(PluginsConfig.NONE.withWatermarkDelay(Instances.WATERMARK_DELAY))
              .withPlugins(Path.of(arguments[1]));
    }
    run(config);
  }

  /** With rollups, which a kill may interrupt. */
  static MillraceConfig config(Path data) {
    return Instances.config(data).withSection(RollupConfig.DEFAULT);
  }

  /** Runs the instance until it is killed. */
  public static void run(MillraceConfig config) throws Exception {
    Thread ear = new Thread(KilledInstance::listen, "ear");
    ear.setDaemon(true);
    ear.start();
    Millrace millrace = new Millrace(config);
    millrace.start();
    System.out.println("udp " + millrace.udpPort());
    String said = "";
    while (true) {
      long received = millrace.datagrams();
      long logged = 0;
      for (LossLedger.Entry entry : millrace.ledger().exporters()) {
        logged += entry.collected().logged();
      }
      String say = "received " + received + " logged " + logged + " checkpoint " + last(millrace);
      if (!say.equals(said)) {
        System.out.println(say);
        said = say;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static long last(Millrace millrace) {
    return millrace.job().checkpoint().map(JobStatusReport.CompletedCheckpoint::id).orElse(0L);
  }

  /**
   * Starts one in a process of its own.
   *
   * @param arguments data directory and, if there are any, that of plugins
   */
  public static ChildProcess spawn(Path... arguments) throws IOException {
    return spawn(KilledInstance.class, Stream.of(arguments).map(Path::toString).toList());
  }

  /** As above, with a main class that sets the instance up in its own way. */
  public static ChildProcess spawn(Class<?> main, List<String> arguments) throws IOException {
    List<String> options =
        List.of(
            "-Xmx768m",
            "-XX:TieredStopAtLevel=1", // most of a life is its start
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError"); // as the launcher and the units for systemd say it
    return ChildProcess.interactive(ChildProcess.java(options, main, arguments));
  }

  /** Sends to it, and kills it in the midst of ingest, after a checkpoint and uncovered rows. */
  public static void feedUntilKilled(ChildProcess process, TestExporter exporter) throws Exception {
    InetSocketAddress to = null;
    long checkpoint = 0;
    int more = BURSTS_AFTER_CHECKPOINT;
    for (String line = process.readLine(); line != null; line = process.readLine()) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("udp")) {
        to = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[1]));
      } else if (words[0].equals("received")) {
        checkpoint = Math.max(checkpoint, Long.parseLong(words[5]));
        if (checkpoint > 0 && Long.parseLong(words[1]) > 0 && --more == 0) {
          process.kill();
        }
      }
      if (to != null && process.isAlive()) {
        exporter.send(to, BURST);
      }
    }
    assertThat(process.status()).as("killed, not failed").isEqualTo(ChildProcess.KILLED);
  }

  /** Takes all memory when it is told anything, as {@link #exhaust} does. */
  private static void listen() {
    try {
      while (System.in.read() >= 0) {
        takeAllMemory();
      }
    } catch (IOException e) {
      // nothing is told any more
    }
  }

  private static void takeAllMemory() {
    while (true) {
      TAKEN.add(new byte[64 << 10]); // small enough that other parts are the first to find none
    }
  }

  /** Has an instance take memory without end, as a fault in some part of it would. */
  static void exhaust(ChildProcess process) {
    try {
      process.write(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
