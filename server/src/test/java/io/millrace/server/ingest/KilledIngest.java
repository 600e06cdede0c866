package io.millrace.server.ingest;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/** Process with a log and an ingest server, to be killed. */
final class KilledIngest {
  private KilledIngest() {}

  public static void main(String[] arguments) throws Exception {
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

  static ChildProcess spawn(Path directory, int port) throws IOException {
    return ChildProcess.interactive(
        ChildProcess.java(
            List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
            KilledIngest.class,
            List.of(directory.toString(), Integer.toString(port))));
  }
}
