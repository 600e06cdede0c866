package io.millrace.server.runtime;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.collect.LossLedger;
import java.io.IOException;
import java.io.UncheckedIOException;
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
final class KilledInstance {
  private static final long LOOK_NANOS = 10_000_000;
  private static final List<byte[]> TAKEN = new ArrayList<>();

  private KilledInstance() {}

  public static void main(String[] arguments) throws Exception {
    MillraceConfig config = Instances.config(Path.of(arguments[0]));
    if (arguments.length > 1) {
      config = config.withSection(config.plugins().withDirectory(Path.of(arguments[1])));
    }
    run(config);
  }

  /** Runs the instance until it is killed. */
  static void run(MillraceConfig config) throws Exception {
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
      LockSupport.parkNanos(LOOK_NANOS);
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
  static ChildProcess spawn(Path... arguments) throws IOException {
    return spawn(KilledInstance.class, Stream.of(arguments).map(Path::toString).toList());
  }

  /** As above, with a main class that sets the instance up in its own way. */
  static ChildProcess spawn(Class<?> main, List<String> arguments) throws IOException {
    List<String> options =
        List.of(
            "-Xmx768m",
            "-XX:TieredStopAtLevel=1", // most of a life is its start
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError"); // as the launcher and the units for systemd say it
    return ChildProcess.talking(ChildProcess.java(options, main, arguments));
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
