package io.millrace.analytics.plugin;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the configuration says about one plugin: texts by key, read as what they must be. Remembers
 * which keys were asked for: the others are mistakes. Not thread-safe.
 */
public final class Settings {
  /** Where the settings of all plugins stand in the configuration. */
  public static final String PREFIX = "plugins.settings.";

  private final String plugin;
  private final Map<String, String> values;
  private final Set<String> known = new TreeSet<>();
  private final Map<String, String> paths = new TreeMap<>();

  /**
   * The settings of a plugin.
   *
   * @param plugin its name, for messages
   * @param values by key
   */
  public Settings(String plugin, Map<String, String> values) {
    this.plugin = plugin;
    this.values = new TreeMap<>(values);
  }

  /**
   * A text that must be there.
   *
   * @param hint what to write if it is not, for the message: {@code "name a CSV file"}
   * @throws SettingException if it is missing or empty
   */
  public String text(String key, String hint) {
    known.add(key);
    String value = values.get(key);
    if (value == null || value.isBlank()) {
      throw refused(key, "there is none; " + hint);
    }
    return value;
  }

  /** A text that may be left out. */
  public String textOr(String key, String fallback) {
    known.add(key);
    return values.getOrDefault(key, fallback);
  }

  /**
   * A path that must be there; a relative one starts at the directory in which Millrace was
   * started. Not looked at.
   *
   * @param hint as for {@link #text}
   * @throws SettingException if it is missing, or no path
   */
  public Path path(String key, String hint) {
    String value = text(key, hint);
    try {
      Path path = Path.of(value);
      paths.put(key, path.toAbsolutePath().toString());
      return path;
    } catch (InvalidPathException e) {
      throw refused(key, value + " is not a path: " + e.getReason());
    }
  }

  /**
   * A whole number that may be left out.
   *
   * @throws SettingException if it is none, or not in {@code least} to {@code most}
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
      throw refused(key, value + " is not a whole number");
    }
    throw refused(key, value + " is not in " + least + " to " + most);
  }

  /** What a plugin throws that has a rule of its own: the message names the key. */
  public SettingException refused(String key, String why) {
    return new SettingException(PREFIX + plugin + "." + key + ": " + why);
  }

  /**
   * The settings as they can be read elsewhere: those that were asked for as paths are absolute.
   */
  public Map<String, String> travelling() {
    Map<String, String> travelling = new TreeMap<>(values);
    travelling.putAll(paths);
    return travelling;
  }

  /**
   * Refuses keys that were not asked for; for who calls {@link FlowAnalysis#create}.
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
                : "unknown key; known here: " + String.join(", ", known));
      }
    }
  }
}
