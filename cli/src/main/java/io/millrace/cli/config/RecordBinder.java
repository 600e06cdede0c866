package io.millrace.cli.config;

import io.millrace.pipelines.Pipeline;
import io.millrace.server.access.AccessToken;
import io.millrace.store.NearestName;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Binds a YAML node to a record: each component is a key, with the value in the given record as
 * default. Keys have hyphens instead of camel case. If a component's name ends in a unit ({@code
 * lingerMicros}, {@code batchBytes}), the key has no unit ({@code linger}, {@code batch}) and the
 * value has any.
 *
 * <p>Unknown keys, wrong types and values rejected by a record's constructor become a {@link
 * ConfigException} with file and line.
 */
final class RecordBinder {
  private static final Map<String, Long> DURATION_SUFFIXES =
      Map.of("Nanos", 1L, "Micros", 1_000L, "Millis", 1_000_000L, "Seconds", 1_000_000_000L);
  private static final String SIZE_SUFFIX = "Bytes";

  private final String file;

  RecordBinder(String file) {
    this.file = file;
  }

  @SuppressWarnings("unchecked")
  <T extends Record> T bind(Node node, T defaults, String path) {
    return (T) bindRecord(node, (Class<? extends Record>) defaults.getClass(), defaults, path);
  }

  /** Returns a copy of {@code defaults} with the values of one section of the node. */
  <T extends Record> T bindSection(Node node, String key, T defaults) {
    return bind(entries(node, "").get(key), defaults, key);
  }

  private Record bindRecord(Node node, Class<? extends Record> type, Record defaults, String path) {
    Map<String, Node> given = entries(node, path);
    RecordComponent[] components = type.getRecordComponents();
    List<String> known = new ArrayList<>();
    for (RecordComponent component : components) {
      if (holdsPipelines(component)) {
        pipelines(component, defaults).forEach(pipeline -> known.add(pipeline.name()));
      } else {
        known.add(key(component));
      }
    }
    for (Map.Entry<String, Node> entry : given.entrySet()) {
      if (!known.contains(entry.getKey())) {
        String hint =
            NearestName.of(entry.getKey(), known)
                .map(name -> "did you mean " + join(path, name) + "?")
                .orElse("expected one of " + String.join(", ", known));
        throw at(entry.getValue(), join(path, entry.getKey()), "unknown key; " + hint);
      }
    }
    Object[] values = new Object[components.length];
    Class<?>[] types = new Class<?>[components.length];
    Node last = node;
    for (int i = 0; i < components.length; i++) {
      RecordComponent component = components[i];
      types[i] = component.getType();
      if (holdsPipelines(component)) {
        values[i] = bindPipelines(given, pipelines(component, defaults), path);
        continue;
      }
      Object fallback = defaults == null ? empty(component) : get(component, defaults);
      String key = key(component);
      Node value = given.get(key);
      if (value != null && !isNull(value)) {
        last = value;
        values[i] =
            convert(
                value, component.getGenericType(), component.getName(), fallback, join(path, key));
      } else {
        values[i] = fallback;
      }
    }
    try {
      Constructor<? extends Record> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      Node place = given.size() == 1 ? last : node;
      throw rejected(given, known, place, path, String.valueOf(e.getCause().getMessage()));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type + " is a record, and records have this constructor", e);
    }
  }

  /** Whether a component is a list of pipelines; each of them is a section. */
  static boolean holdsPipelines(RecordComponent component) {
    return component.getGenericType() instanceof ParameterizedType list
        && list.getActualTypeArguments()[0] == Pipeline.class;
  }

  @SuppressWarnings("unchecked") // of a component that holds them
  static List<Pipeline> pipelines(RecordComponent component, Record record) {
    return (List<Pipeline>) get(component, record);
  }

  private List<Pipeline> bindPipelines(
      Map<String, Node> given, List<Pipeline> defaults, String path) {
    List<Pipeline> bound = new ArrayList<>();
    for (Pipeline pipeline : defaults) {
      Node section = given.get(pipeline.name());
      bound.add(
          section == null || isNull(section)
              ? pipeline
              : pipeline.with(bind(section, pipeline.config(), join(path, pipeline.name()))));
    }
    return bound;
  }

  /** Adds key and line to a message, which may begin with the key already. */
  private ConfigException rejected(
      Map<String, Node> given, List<String> known, Node node, String path, String message) {
    String text = message.startsWith(path + ".") ? message.substring(path.length() + 1) : message;
    int colon = text.indexOf(": ");
    String key = colon < 0 ? "" : text.substring(0, colon);
    return known.contains(key)
        ? at(given.getOrDefault(key, node), join(path, key), text.substring(colon + 2))
        : at(node, path, text);
  }

  private Object convert(Node node, Type type, String component, Object fallback, String path) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      if (generic.getRawType() == List.class) {
        List<Object> list = new ArrayList<>();
        if (node instanceof SequenceNode sequence) {
          for (Node item : sequence.getValue()) {
            list.add(convert(item, arguments[0], "", null, path + "[" + list.size() + "]"));
          }
        } else {
          list.add(convert(node, arguments[0], "", null, path)); // one item needs no list
        }
        return List.copyOf(list);
      }
      if (generic.getRawType() == Map.class) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (Map.Entry<String, Node> entry : entries(node, path).entrySet()) {
          map.put(
              entry.getKey(),
              convert(entry.getValue(), arguments[1], "", null, join(path, entry.getKey())));
        }
        return map;
      }
      throw new AssertionError("no configuration record has a component of type " + type);
    }
    Class<?> raw = (Class<?>) type;
    if (raw.isRecord()) {
      return bindRecord(node, raw.asSubclass(Record.class), (Record) fallback, path);
    }
    String text = scalar(node, path);
    try {
      return convertScalar(text, raw, component);
    } catch (NumberFormatException e) {
      throw at(node, path, text + ": expected a whole number");
    } catch (IllegalArgumentException e) {
      throw at(node, path, e.getMessage());
    }
  }

  private static Object convertScalar(String text, Class<?> type, String component) {
    for (Map.Entry<String, Long> suffix : DURATION_SUFFIXES.entrySet()) {
      if (component.endsWith(suffix.getKey())) {
        return number(Units.nanos(text) / suffix.getValue(), type);
      }
    }
    if (component.endsWith(SIZE_SUFFIX)) {
      return number(Units.bytes(text), type);
    }
    if (type == Duration.class) {
      return Duration.ofNanos(Units.nanos(text));
    }
    if (type == OptionalInt.class) {
      return OptionalInt.of((int) number(Long.parseLong(text), int.class));
    }
    if (type == InetSocketAddress.class) {
      return address(text);
    }
    if (type == String.class) {
      return text;
    }
    if (type == Path.class) {
      return FilePaths.parse(text);
    }
    if (type == AccessToken.class) {
      return text.isEmpty() ? null : AccessToken.of(text);
    }
    if (type == boolean.class) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "true", "yes", "on" -> true;
        case "false", "no", "off" -> false;
        default -> throw new IllegalArgumentException(text + ": expected true or false");
      };
    }
    if (type == double.class) {
      return Double.valueOf(text);
    }
    if (type.isEnum()) {
      List<String> names = new ArrayList<>();
      for (Object constant : type.getEnumConstants()) {
        String name = ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
        if (name.equals(text.toLowerCase(Locale.ROOT))) {
          return constant;
        }
        names.add(name);
      }
      throw new IllegalArgumentException(text + ": expected one of " + String.join(", ", names));
    }
    return number(Long.parseLong(text.replace("_", "")), type);
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException(text + ": expected ADDRESS:PORT, such as 0.0.0.0:6343");
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    return new InetSocketAddress(host, Integer.parseInt(text.substring(colon + 1)));
  }

  private static Object number(long value, Class<?> type) {
    if (type == int.class) {
      if (value != (int) value) {
        throw new IllegalArgumentException(value + " is too large");
      }
      return (int) value;
    }
    return value;
  }

  private Map<String, Node> entries(Node node, String path) {
    Map<String, Node> entries = new LinkedHashMap<>();
    if (node == null || isNull(node)) {
      return entries;
    }
    if (!(node instanceof MappingNode mapping)) {
      throw at(node, path, "expected a mapping of keys to values");
    }
    for (NodeTuple tuple : mapping.getValue()) {
      String key = scalar(tuple.getKeyNode(), path);
      if (entries.put(key, tuple.getValueNode()) != null) {
        throw at(tuple.getKeyNode(), join(path, key), "duplicate key");
      }
    }
    return entries;
  }

  private String scalar(Node node, String path) {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw at(node, path, "expected a single value");
  }

  private static boolean isNull(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  private ConfigException at(Node node, String path, String message) {
    String place =
        node == null
            ? file
            : node.getStartMark().map(mark -> file + ":" + (mark.getLine() + 1)).orElse(file);
    return new ConfigException((path.isEmpty() ? "" : path + ": ") + message + " (" + place + ")");
  }

  private static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private static Object empty(RecordComponent component) {
    Class<?> type = component.getType();
    if (type == List.class) {
      return List.of();
    }
    if (type == Map.class) {
      return new TreeMap<>();
    }
    if (type == OptionalInt.class) {
      return OptionalInt.empty();
    }
    if (type == boolean.class) {
      return false;
    }
    if (type == int.class) {
      return 0;
    }
    if (type == long.class) {
      return 0L;
    }
    if (type == double.class) {
      return 0.0;
    }
    return null;
  }

  static Object get(RecordComponent component, Record record) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a record's accessor can be called", e);
    }
  }

  static String key(RecordComponent component) {
    String whole = component.getName();
    String stripped = strip(whole, SIZE_SUFFIX);
    for (String suffix : DURATION_SUFFIXES.keySet()) {
      stripped = strip(stripped, suffix);
    }
    String bare = stripped;
    boolean isTaken =
        !stripped.equals(whole)
            && Arrays.stream(component.getDeclaringRecord().getRecordComponents())
                .anyMatch(other -> other.getName().equals(bare));
    String name = isTaken ? whole : stripped;
    StringBuilder key = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (Character.isUpperCase(c)) {
        key.append('-');
      }
      key.append(Character.toLowerCase(c));
    }
    return key.toString();
  }

  private static String strip(String name, String suffix) {
    return name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
  }

  static String text(RecordComponent component, Object value) {
    for (Map.Entry<String, Long> suffix : DURATION_SUFFIXES.entrySet()) {
      if (component.getName().endsWith(suffix.getKey())) {
        return Units.formatNanos(((Number) value).longValue() * suffix.getValue());
      }
    }
    if (component.getName().endsWith(SIZE_SUFFIX)) {
      return Units.formatBytes(((Number) value).longValue());
    }
    if (value instanceof Duration duration) {
      return Units.formatNanos(duration.toNanos());
    }
    if (value instanceof InetSocketAddress address) {
      String host = address.getAddress().getHostAddress();
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }
    if (value instanceof OptionalInt optional) {
      return optional.isPresent() ? Integer.toString(optional.getAsInt()) : "";
    }
    if (value instanceof Enum<?> constant) {
      return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
    return value == null ? "" : value.toString();
  }
}
