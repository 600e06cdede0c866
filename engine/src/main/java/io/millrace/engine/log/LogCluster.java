package io.millrace.engine.log;

/**
 * Where the log lives. Made without effect, then started once and closed once; {@link #close} also
 * follows a start that failed.
 */
public interface LogCluster extends AutoCloseable {
  /**
   * Brings the log up, or finds it; returns when it answers.
   *
   * @throws LogException if it cannot be reached or started; the message says what to do
   */
  void start();

  /** Where clients find it: {@code HOST:PORT,…}. Valid after {@link #start}. */
  String bootstrapServers();

  /** Gives everything back. What was acknowledged stays in the log. */
  @Override
  void close();

  /** The embedded log under {@code directory}, or the remote one that the configuration names. */
  static LogCluster of(LogConfig config, java.nio.file.Path directory) {
    return config.embedded() ? new EmbeddedLog(config, directory) : new RemoteLog(config);
  }
}
