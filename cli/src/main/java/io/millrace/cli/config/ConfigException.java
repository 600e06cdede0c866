package io.millrace.cli.config;

/**
 * A configuration that cannot be used. The message is one line that says what is wrong, which value
 * it has, what is allowed, and in which file and line it stands.
 */
public final class ConfigException extends RuntimeException {
  /** A message that is complete, with its place. */
  public ConfigException(String message) {
    super(message);
  }
}
