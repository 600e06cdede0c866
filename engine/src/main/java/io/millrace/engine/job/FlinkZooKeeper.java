package io.millrace.engine.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The ZooKeeper that comes with Flink, as one process: where several JobManagers agree on the one
 * that leads. One is no quorum: it is what a test of JobManagers needs, and a production brings its
 * own three.
 */
public final class FlinkZooKeeper {
  /** The class to run. */
  public static final String MAIN = "org.apache.flink.runtime.zookeeper.FlinkZooKeeperQuorumPeer";

  /** Milliseconds; the shortest session that a client can ask for is two of them. */
  private static final int TICK = 500;

  private FlinkZooKeeper() {}

  /**
   * Writes its options.
   *
   * @param options file to write
   * @param home directory in which the process is started: paths in its options are relative to it
   * @param directory of its data below {@code home}, which is made
   * @return the process's arguments
   */
  public static List<String> prepare(Path options, Path home, Path directory, String host, int port)
      throws IOException {
    Files.createDirectories(directory);
    Files.write(
        options,
        List.of(
            "dataDir=./" + home.relativize(directory),
            "clientPort=" + port,
            "clientPortAddress=" + host,
            "tickTime=" + TICK,
            "initLimit=10",
            "syncLimit=5",
            "maxClientCnxns=0",
            "admin.enableServer=false",
            "server.1=" + host));
    return List.of("--zkConfigFile", options.toString(), "--peerId", "1");
  }
}
