package io.millrace.analytics.plugin;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Configuration of one plugin: texts by key, read as types. Records which keys were read: the
 * others are mistakes. Not thread-safe.
 */
public final class Settings {
  /** Prefix of all plugins' settings in the configuration. */
  public static final String PREFIX = "plugins.settings.";

  private final String plugin;
  private final Map<String, String> values;
  private final Set<String> known = new TreeSet<>();
  private final Map<String, String> paths = new TreeMap<>();

  /**
   * Settings of a plugin.
   *
   * @param plugin its name, for messages
   * @param values by key
   */
  public Settings(String plugin, Map<String, String> values) {
    this.plugin = plugin;
    this.values = new TreeMap<>(values);
  }

  /**
   * A required text.
   *
   * @param hint what to write, for the message: {@code "name a CSV file"}
   * @throws SettingException if it is missing or empty
   */
  public String text(String key, String hint) {
    known.add(key);
    String value = values.get(key);
    if (value == null || value.isBlank()) {
      throw refused(key, "missing; " + hint);
    }
    return value;
  }

  /** An optional text. */
  public String textOr(String key, String fallback) {
    known.add(key);
    return values.getOrDefault(key, fallback);
  }

  /**
   * A required path; a relative one starts at Millrace's working directory. The file is not
   * checked.
   *
   * @param hint as for {@link #text}
   * @throws SettingException if it is missing, or not a path
   */
  public Path path(String key, String hint) {
    String value = text(key, hint);
    try {
      Path path = Path.of(value);
      paths.put(key, path.toAbsolutePath().toString());
      return path;
    } catch (InvalidPathException e) {
      throw refused(key, value + ": invalid path: " + e.getReason());
    }
  }

  /**
   * An optional whole number.
   *
   * @throws SettingException if it is not a number from {@code least} to {@code most}
   */
  public long numberOr(String key, long fallback, long least, long most) {
    known.add(key);
    String value = values.get(key);
    if (value == null) {
      return fallback;
    }
    try {
      long number = Long.parseLong(value.replace("_", ""));
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw refused(key, value + ", expected a whole number");
    }
    throw refused(key, value + ", expected " + least + " to " + most);
  }

  /** Returns an exception for a plugin's own rule: the message has the key. */
  public SettingException refused(String key, String why) {
    return new SettingException(PREFIX + plugin + "." + key + ": " + why);
  }

  /** Settings for another process: values that were read as paths are absolute. */
  public Map<String, String> travelling() {
    Map<String, String> travelling = new TreeMap<>(values);
    travelling.putAll(paths);
    return travelling;
  }

  /**
   * Rejects keys that were not read; called after {@link FlowAnalysis#create}.
   *
   * @throws SettingException if there are any
   */
  public void refuseUnknown() {
    for (String key : values.keySet()) {
      if (!known.contains(key)) {
        throw refused(
            key,
            known.isEmpty()
                ? "unknown key; this plugin has no settings"
                : "unknown key; expected one of " + String.join(", ", known));
      }
    }
  }
}
