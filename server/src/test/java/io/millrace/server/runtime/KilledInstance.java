package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.collect.LossLedger;
import io.millrace.store.ObjectsConfig;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.S3Server;
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
 * Process with an instance, to be killed. Prints {@code udp PORT} when it is up, then {@code
 * received N logged M checkpoint C} at each change: datagrams received by this process, datagrams
 * logged by all processes, and the last checkpoint of this process, 0 before the first.
 */
public final class KilledInstance {
  /** Each poll takes a snapshot of the whole job. */
  private static final long POLL_NANOS = 25_000_000;

  private static final int BURST = 5;
  private static final int BURSTS_AFTER_CHECKPOINT = 20;
  private static final List<byte[]> TAKEN = new ArrayList<>();

  private KilledInstance() {}

  public static void main(String[] arguments) throws Exception {
    Path data = Path.of(arguments[0]);
    DataDirectory.keepTemporaryFiles(data);
    MillraceConfig config = config(data);
    if (arguments.length > 1 && arguments[1].startsWith("http:")) {
      System.setProperty("aws.accessKeyId", "test");
      System.setProperty("aws.secretAccessKey", "test");
      config = config(data, arguments[1]);
    } else if (arguments.length > 1) {
      config =
          Instances.config(data)
              .withSection(PluginsConfig.NONE.withWatermarkDelay(Instances.WATERMARK_DELAY))
              .withPlugins(Path.of(arguments[1]));
    }
    run(config);
  }

  /** Configuration with rollups, which a kill may interrupt. */
  static MillraceConfig config(Path data) {
    return Instances.config(data).withSection(RollupConfig.DEFAULT);
  }

  /** The same with the tables in an object store. */
  static MillraceConfig config(Path data, String endpoint) {
    MillraceConfig config = config(data);
    return config.withSection(
        config
            .store()
            .withObjects(new ObjectsConfig(S3Server.LOCATION, endpoint, "us-east-1", 64 << 20)));
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
   * Starts a process.
   *
   * @param arguments data directory, and optionally plugin directory or URL of an object store
   */
  public static ChildProcess spawn(Path... arguments) throws IOException {
    return spawn(KilledInstance.class, Stream.of(arguments).map(Path::toString).toList());
  }

  /** Starts a process with another main class. */
  public static ChildProcess spawn(Class<?> main, List<String> arguments) throws IOException {
    List<String> options =
        List.of(
            "-Xmx768m",
            "-XX:TieredStopAtLevel=1", // most of a life is its start
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError"); // as the launcher and the units for systemd say it
    return ChildProcess.interactive(ChildProcess.java(options, main, arguments));
  }

  /**
   * Sends datagrams, and kills the process during ingest, after a checkpoint and some uncommitted
   * rows.
   */
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

  /** Exhausts memory when {@link #exhaust} writes a byte. */
  private static void listen() {
    try {
      while (System.in.read() >= 0) {
        takeAllMemory();
      }
    } catch (IOException e) {
      // the parent has ended
    }
  }

  private static void takeAllMemory() {
    while (true) {
      TAKEN.add(new byte[64 << 10]); // small enough that other parts are the first to find none
    }
  }

  /** Makes an instance run out of memory. */
  static void exhaust(ChildProcess process) {
    try {
      process.write(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
