package io.millrace.pipelines.plugins;

/** A plugin cannot be used; the message names jar, class, reason and remedy. */
public final class PluginException extends RuntimeException {
  public PluginException(String message) {
    super(message);
  }
}
