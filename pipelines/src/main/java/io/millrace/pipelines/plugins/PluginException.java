package io.millrace.pipelines.plugins;

/** A plugin cannot be used; the message names jar, class, reason and remedy. */
public final class PluginException extends RuntimeException {
  /** Creates an exception from a message of one line. */
  public PluginException(String message) {
    super(message);
  }
}
