package io.millrace.lab.recovery;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.pulse.HostDefaults;
import io.millrace.server.access.AccessToken;
import io.millrace.server.api.ConnectionsConfig;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.QueriesConfig;
import io.millrace.server.api.TransfersConfig;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.StoreConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The store's process: {@code millrace up} with the job on a cluster. It has no datasets: the table
 * gets the columns that the job brings.
 */
public final class StoreProcess {
  /** A comparison hashes every column of every row of a case. */
  private static final Duration QUERY_LIMIT = Duration.ofMinutes(3);

  /** Required for an address other than loopback; the network is local to this machine. */
  static final String TOKEN = "recovery-benchmark";

  private static final String ALL_ADDRESSES = "0.0.0.0";
  private static final int BODY_BYTES = 1 << 20;

  private StoreProcess() {}

  static List<String> arguments(Path data, String kafka, int writersPort, int httpPort) {
    return List.of(
        data.toAbsolutePath().toString(),
        kafka,
        Integer.toString(writersPort),
        Integer.toString(httpPort));
  }

  /** Runs the store with {@link #arguments}. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    HostDefaults.set();
    MillraceConfig defaults = MillraceConfig.defaults();
    MillraceConfig config =
        defaults
            .withData(Path.of(arguments[0]))
            .withSection(defaults.log().withKafka(arguments[1]))
            .withSection(
                StoreConfig.defaults()
                    .withQueryTimeLimit(QUERY_LIMIT)
                    .withListen(
                        new InetSocketAddress(ALL_ADDRESSES, Integer.parseInt(arguments[2]))))
            .withSection(defaults.job().withRun(FlinkConfig.Place.CLUSTER))
            .withSection(defaults.flight().withoutListening())
            .withSection(
                new HttpConfig(
                    ALL_ADDRESSES,
                    Integer.parseInt(arguments[3]),
                    BODY_BYTES,
                    AccessToken.of(TOKEN),
                    null,
                    null,
                    null,
                    List.of(),
                    QueriesConfig.DEFAULTS,
                    TransfersConfig.DEFAULTS,
                    ConnectionsConfig.DEFAULTS))
            .withSection(
                defaults
                    .collector()
                    .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    Millrace millrace = new Millrace(config);
    millrace.start();
    new CountDownLatch(1).await(); // until the process is killed
  }
}
