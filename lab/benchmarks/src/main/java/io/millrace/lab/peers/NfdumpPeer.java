package io.millrace.lab.peers;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** nfdump's collectors, {@code sfcapd} and {@code nfcapd}, which write a record per sample. */
final class NfdumpPeer extends PeerProcess {
  /** Program that reads the files. */
  static final String READER = "nfdump";

  private static final int ROTATE_SECONDS = 3_600;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final int bufferBytes;
  private Path directory;

  NfdumpPeer(String program, int bufferBytes) {
    super(program);
    this.bufferBytes = bufferBytes;
  }

  @Override
  public String stores() {
    return "a record for each sample, in a binary file";
  }

  @Override
  List<String> command(Path directory, int port) throws IOException {
    this.directory = directory;
    Path flows = Files.createDirectories(directory.resolve("flows"));
    return List.of(
        name(),
        "-w",
        flows.toString(),
        "-b",
        "127.0.0.1",
        "-p",
        Integer.toString(port),
        "-t",
        Integer.toString(ROTATE_SECONDS),
        "-B",
        Integer.toString(bufferBytes));
  }

  /** Stops the collector first, since only then its file is complete. */
  @Override
  public long stored(long sent) throws IOException {
    awaitRest();
    stop();
    return NfdumpStatistics.flows(
        ChildProcess.run(
            directory.resolve("nfdump.out"),
            PATIENCE,
            List.of(READER, "-I", "-R", directory.resolve("flows").toString())));
  }
}
