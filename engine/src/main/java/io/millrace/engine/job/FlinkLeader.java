package io.millrace.engine.job;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.runtime.highavailability.ClientHighAvailabilityServices;
import org.apache.flink.runtime.highavailability.HighAvailabilityServicesUtils;
import org.apache.flink.runtime.util.LeaderRetrievalUtils;

/**
 * Finds the leader of several JobManagers in ZooKeeper. There is no other way: each JobManager
 * forwards requests about jobs to the leader and answers others itself.
 */
public final class FlinkLeader {
  private FlinkLeader() {}

  /**
   * {@code http://HOST:PORT} of the REST interface of the leading JobManager.
   *
   * @param configuration directory of the cluster's {@code config.yaml}
   * @param timeout longest wait for an election
   * @throws IOException if there is no leader by then
   */
  public static String restAddress(Path configuration, Duration timeout) throws IOException {
    Configuration cluster = GlobalConfiguration.loadConfiguration(configuration.toString());
    try (ClientHighAvailabilityServices services =
        HighAvailabilityServicesUtils.createClientHAService(cluster, error -> {})) {
      return LeaderRetrievalUtils.retrieveLeaderInformation(
              services.getClusterRestEndpointLeaderRetriever(), timeout)
          .getLeaderAddress();
    } catch (Exception e) {
      throw new IOException("no leading JobManager found: " + e.getMessage(), e);
    }
  }
}
