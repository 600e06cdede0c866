package io.millrace.cli.config;

import io.millrace.pipelines.Pipeline;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Writes a configuration record as commented YAML that {@link YamlFile} can read, and the reference
 * page of all keys. Descriptions are in {@code settings.properties}; those of a pipeline's section
 * in the file next to its settings record.
 */
public final class ConfigWriter {
  private static final Map<String, String> MACHINE_DEFAULTS =
      Map.of(
          "collector.listen", "all addresses, ports 6343, 2055 and 4739",
          "job.slots", "number of processors",
          "store.threads", "half of the processors",
          "store.memory", "a quarter of the memory beyond 512MiB, 64MiB to 4GiB");

  private ConfigWriter() {}

  /** Formats a configuration as commented YAML. */
  public static String yaml(Record config) {
    Properties sentences = sentences(config);
    StringBuilder out = new StringBuilder();
    section(out, config, "", "", sentences);
    return out.toString();
  }

  /** Formats the reference page: a table of key, default and meaning. */
  public static String reference(Record defaults) {
    Properties sentences = sentences(defaults);
    StringBuilder out =
        new StringBuilder(
            """
            # Configuration

            Every key is optional. Durations and sizes carry a unit (`5ms`, `64MiB`). `millrace config`
            prints the effective settings, as a file to start from; `millrace up -c FILE` reads it.

            | Key | Default | Meaning |
            | --- | --- | --- |
            """);
    settings(defaults)
        .forEach(
            (key, value) ->
                out.append("| `")
                    .append(key)
                    .append("` | ")
                    .append(defaultText(key, value))
                    .append(" | ")
                    .append(sentences.getProperty(key, "").replace("|", "\\|"))
                    .append(" |\n"));
    return out.toString();
  }

  private static String defaultText(String key, String value) {
    String words = MACHINE_DEFAULTS.get(key);
    if (words != null) {
      return words;
    }
    return value.isEmpty() ? "none" : "`" + value + "`";
  }

  static Map<String, String> settings(Record config) {
    Map<String, String> settings = new LinkedHashMap<>();
    collect(config, "", settings);
    return settings;
  }

  private static void collect(Record record, String prefix, Map<String, String> into) {
    for (Part part : parts(record)) {
      String path = prefix + part.key;
      if (part.value instanceof Record section) {
        collect(section, path + ".", into);
      } else {
        into.put(path, inline(part.component, part.value));
      }
    }
  }

  private record Part(RecordComponent component, String key, Object value) {}

  private static List<Part> parts(Record record) {
    List<Part> parts = new ArrayList<>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      if (RecordBinder.holdsPipelines(component)) {
        for (Pipeline pipeline : RecordBinder.pipelines(component, record)) {
          parts.add(new Part(component, pipeline.name(), pipeline.config()));
        }
      } else {
        Object value = RecordBinder.get(component, record);
        parts.add(new Part(component, RecordBinder.key(component), value));
      }
    }
    return parts;
  }

  static Properties sentences(Record config) {
    Properties sentences = new Properties();
    load(sentences, ConfigWriter.class);
    for (Part part : parts(config)) {
      if (part.value instanceof Record section) {
        load(sentences, section.getClass());
      }
    }
    return sentences;
  }

  private static void load(Properties sentences, Class<?> owner) {
    try (InputStream in = owner.getResourceAsStream("settings.properties")) {
      if (in != null) {
        sentences.load(new InputStreamReader(in, StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void section(
      StringBuilder out, Record record, String prefix, String indent, Properties sentences) {
    for (Part part : parts(record)) {
      String key = part.key;
      String path = prefix + key;
      Object value = part.value;
      String sentence = sentences.getProperty(path);
      if (sentence != null) {
        out.append(indent).append("# ").append(sentence).append('\n');
      }
      out.append(indent).append(key).append(':');
      if (value instanceof Record section) {
        out.append('\n');
        section(out, section, path + ".", indent + "  ", sentences);
      } else if (value instanceof Map<?, ?> map && holdsRecords(map)) {
        out.append('\n');
        byName(map)
            .forEach(
                (name, item) -> {
                  out.append(indent).append("  ").append(quoted(name)).append(":\n");
                  section(out, (Record) item, path + "." + name + ".", indent + "    ", sentences);
                });
      } else {
        String text = inline(part.component, value);
        out.append(text.isEmpty() ? "" : " ").append(text).append('\n');
      }
    }
  }

  private static boolean holdsRecords(Map<?, ?> map) {
    return map.values().stream().anyMatch(Record.class::isInstance);
  }

  /** Formats a value on one line; empty for none. */
  private static String inline(RecordComponent component, Object value) {
    if (value instanceof Map<?, ?> map) {
      return inline(map);
    }
    if (value instanceof Collection<?> list) {
      return inline(list, item -> RecordBinder.text(component, item));
    }
    String text = RecordBinder.text(component, value);
    boolean isNone = text.isEmpty() && !(value instanceof CharSequence);
    return isNone ? "" : quoted(text);
  }

  private static String inline(Map<?, ?> map) {
    return byName(map).entrySet().stream()
        .map(entry -> quoted(entry.getKey()) + ": " + inline(entry.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static Map<String, Object> byName(Map<?, ?> map) {
    Map<String, Object> sorted = new TreeMap<>();
    map.forEach((name, item) -> sorted.put(name.toString(), item));
    return sorted;
  }

  private static String inline(Object value) {
    if (value instanceof Map<?, ?> map) {
      return inline(map);
    }
    return value instanceof Collection<?> list
        ? inline(list, Object::toString)
        : quoted(value.toString());
  }

  private static String inline(Collection<?> list, Function<Object, String> text) {
    return list.stream()
        .map(item -> quoted(text.apply(item)))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  /** Quotes a text unless YAML reads it unquoted as the same text. */
  private static String quoted(String text) {
    if (text.matches("[A-Za-z0-9_./][A-Za-z0-9_./-]*(:\\d+)?")
        && !text.matches("(?i)null|true|false|yes|no|on|off")) {
      return text;
    }
    if (text.matches("true|false")) {
      return text;
    }
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        default -> out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
