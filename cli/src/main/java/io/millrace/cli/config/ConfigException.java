package io.millrace.cli.config;

/**
 * Invalid configuration. The message is one line with key, value, allowed values, file and line.
 */
public final class ConfigException extends RuntimeException {
  /** Creates an exception with a complete message. */
  public ConfigException(String message) {
    super(message);
  }
}
