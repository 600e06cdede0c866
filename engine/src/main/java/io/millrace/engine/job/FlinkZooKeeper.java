package io.millrace.engine.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The ZooKeeper that is part of Flink, as one process, for the leader election of JobManagers. For
 * tests only: a single node tolerates no failure. Production uses three.
 */
public final class FlinkZooKeeper {
  /** Main class. */
  public static final String MAIN = "org.apache.flink.runtime.zookeeper.FlinkZooKeeperQuorumPeer";

  /** Milliseconds; the shortest session timeout is two ticks. */
  private static final int TICK = 500;

  private FlinkZooKeeper() {}

  /**
   * Writes the options.
   *
   * @param options file to write
   * @param home working directory of the process: paths in the options are relative to it
   * @param directory of its data below {@code home}; created
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
