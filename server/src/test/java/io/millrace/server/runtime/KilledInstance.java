package io.millrace.server.runtime;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.server.collect.LossLedger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
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

  /** Runs the instance until it is killed, or its parent ends. */
  static void run(MillraceConfig config) throws Exception {
    endWithParentInBackground();
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
  static Process spawn(Path... arguments) throws IOException {
    return spawn(KilledInstance.class, Stream.of(arguments).map(Path::toString).toList());
  }

  /** As above, with a main class that sets the instance up in its own way. */
  static Process spawn(Class<?> main, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-Xmx768m",
            "-XX:TieredStopAtLevel=1", // most of a life is its start
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError", // as the launcher and the units for systemd say it
            "-cp",
            System.getProperty("java.class.path"),
            main.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  static void endWithParentInBackground() {
    Thread orphan = new Thread(KilledInstance::endWithParent, "parent");
    orphan.setDaemon(true);
    orphan.start();
  }

  /**
   * The parent holds the other end of standard input, and says nothing but for {@link #exhaust}.
   */
  private static void endWithParent() {
    try {
      if (System.in.read() >= 0) {
        takeAllMemory();
      }
    } catch (IOException e) {
      // the parent has ended, too
    } finally {
      Runtime.getRuntime().halt(1);
    }
  }

  private static void takeAllMemory() {
    while (true) {
      TAKEN.add(new byte[64 << 10]); // small enough that other parts are the first to find none
    }
  }

  /** Has an instance take memory without end, as a fault in some part of it would. */
  static void exhaust(Process process) {
    try {
      process.getOutputStream().write(0);
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
