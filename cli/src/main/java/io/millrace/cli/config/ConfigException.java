package io.millrace.cli.config;

/**
 * An invalid configuration. The message is one line with the key, the offending value, the allowed
 * values, and file and line.
 */
public final class ConfigException extends RuntimeException {
  /** Creates an exception with a complete message. */
  public ConfigException(String message) {
    super(message);
  }
}
