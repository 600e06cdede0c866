package io.millrace.lab.peers;

import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Millrace in this process, with log, job and store. It starts with the first load and keeps
 * running for the others, so that its JVM stays warm.
 */
final class MillracePeer implements Peer {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, DatasetDeclaration> datasets;
  private final int bufferBytes;
  private Millrace millrace;
  private long rowsBefore;

  MillracePeer(Map<String, DatasetDeclaration> datasets, int bufferBytes) {
    this.datasets = datasets;
    this.bufferBytes = bufferBytes;
  }

  @Override
  public String name() {
    return "millrace";
  }

  @Override
  public String stores() {
    return "a row for each sample with AS and DNS names, in a log and a table";
  }

  @Override
  public int start(Path directory) throws IOException {
    if (millrace == null) {
      MillraceConfig defaults = MillraceConfig.defaults();
      millrace =
          new Millrace(
              defaults
                  .withData(directory.resolve("data"))
                  .withDatasets(datasets)
                  .withSection(defaults.http().withPort(0))
                  .withSection(defaults.flight().withoutListening())
                  .withSection(
                      defaults
                          .collector()
                          .withReceiveBufferBytes(bufferBytes)
                          .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))));
      millrace.start();
    }
    rowsBefore = millrace.table().rows();
    return millrace.udpPort();
  }

  @Override
  public long stored(long sent) {
    millrace.awaitDrained(PATIENCE);
    return millrace.table().rows() - rowsBefore;
  }

  /** Keeps running for the next load. */
  @Override
  public void stop() {
    rowsBefore = millrace == null ? 0 : millrace.table().rows();
  }

  @Override
  public void close() {
    if (millrace != null) {
      millrace.close();
      millrace = null;
    }
  }
}
