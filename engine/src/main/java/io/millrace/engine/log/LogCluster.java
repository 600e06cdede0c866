package io.millrace.engine.log;

/**
 * The Kafka cluster of the log. The constructor has no effect; start once, close once; call {@link
 * #close} also after a failed start.
 */
public interface LogCluster extends AutoCloseable {
  /**
   * Starts the log, or connects to it; returns when it responds.
   *
   * @throws LogException if it cannot be reached or started; the message says what to do
   */
  void start();

  /** Bootstrap servers, {@code HOST:PORT,…}. Valid after {@link #start}. */
  String bootstrapServers();

  /** Releases all resources. Acknowledged values stay in the log. */
  @Override
  void close();

  /** The embedded log under {@code directory}, or the configured remote one. */
  static LogCluster of(LogConfig config, java.nio.file.Path directory) {
    return config.embedded() ? new EmbeddedLog(config, directory) : new RemoteLog(config);
  }
}
