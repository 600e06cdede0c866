package io.millrace.pipelines.plugins;

/** A plugin cannot be used; the message says jar, class, why, and what to do. */
public final class PluginException extends RuntimeException {
  /** One line. */
  public PluginException(String message) {
    super(message);
  }
}
