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
 * Which of several JobManagers leads. Only ZooKeeper tells: each of them answers questions about
 * jobs with the leader's words, and questions about itself with its own.
 */
public final class FlinkLeader {
  private FlinkLeader() {}

  /**
   * {@code http://HOST:PORT} of the REST interface of the JobManager that leads.
   *
   * @param configuration directory of the cluster's {@code config.yaml}
   * @param patience how long an election may take
   * @throws IOException if nobody leads by then
   */
  public static String restAddress(Path configuration, Duration patience) throws IOException {
    Configuration cluster = GlobalConfiguration.loadConfiguration(configuration.toString());
    try (ClientHighAvailabilityServices services =
        HighAvailabilityServicesUtils.createClientHAService(cluster, error -> {})) {
      return LeaderRetrievalUtils.retrieveLeaderInformation(
              services.getClusterRestEndpointLeaderRetriever(), patience)
          .getLeaderAddress();
    } catch (Exception e) {
      throw new IOException("no JobManager leads: " + e.getMessage(), e);
    }
  }
}
