package io.millrace.server.ingest;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A log and an ingest server in a process of their own, to be killed. */
final class KilledIngest {
  private KilledIngest() {}

  public static void main(String[] arguments) throws Exception {
    Thread orphan = new Thread(KilledIngest::endWithParent, "parent");
    orphan.setDaemon(true);
    orphan.start();
    IngestLog log = new IngestLog(Path.of(arguments[0]));
    var unused =
        log.serve(
            IngestLog.config()
                .withListen(
                    new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]))));
    System.out.println("up");
    Thread.currentThread().join();
  }

  static Process spawn(Path directory, int port) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:TieredStopAtLevel=1", // most of a life is its start
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            KilledIngest.class.getName(),
            directory.toString(),
            Integer.toString(port)));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** The parent holds the other end of standard input. */
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // nothing is ever said
      }
    } catch (IOException e) {
      // the same
    }
    Runtime.getRuntime().halt(1);
  }
}
