package io.millrace.engine.log;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;

/** An external Kafka cluster. {@link #start} only checks that it answers. */
public final class RemoteLog implements LogCluster {
  private static final int ANSWER_SECONDS = 15;

  private final LogConfig config;

  public RemoteLog(LogConfig config) {
    if (config.embedded()) {
      throw new IllegalArgumentException("log.kafka: not set, so there is no remote log");
    }
    this.config = config;
  }

  @Override
  public void start() {
    try (Admin admin = LogClients.admin(bootstrapServers())) {
      admin.describeCluster().nodes().get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException("interrupted while waiting for Kafka at " + bootstrapServers(), e);
    } catch (ExecutionException | TimeoutException e) {
      throw new LogException(
          "no Kafka broker responds at "
              + bootstrapServers()
              + " within "
              + ANSWER_SECONDS
              + " s: check the address, and that the brokers' advertised.listeners are reachable",
          e);
    }
  }

  @Override
  public String bootstrapServers() {
    return config.kafka();
  }

  @Override
  public void close() {}
}
