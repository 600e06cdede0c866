package io.millrace.cli.cluster;

import io.millrace.cluster.ClusterDirectory;
import io.millrace.server.runtime.MillraceConfig;
import java.nio.file.Path;
import picocli.CommandLine.Option;

final class ClusterDirectoryOption {
  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Directory of the cluster's configuration, logs and data; by default millrace-cluster, "
              + "next to the data of millrace up.")
  private Path directory = MillraceConfig.defaults().data().resolveSibling("millrace-cluster");

  ClusterDirectory directory() {
    return new ClusterDirectory(directory);
  }
}
