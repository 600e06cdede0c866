package io.millrace.pipelines.imports;

import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Mapping of the columns of an external table to columns of flows.
 *
 * @param isParquet whether the file is Parquet; else CSV
 * @param delimiter of CSV
 * @param hasHeader whether the first line of CSV has the column names; otherwise columns are
 *     numbered from 1
 * @param where the rows to read; empty for all
 * @param columns each at most once
 */
record Mapping(
    boolean isParquet,
    char delimiter,
    boolean hasHeader,
    Optional<Where> where,
    List<Column> columns) {
  static final List<String> INCLUDED = List.of("exchange-point", "netdata", "sflowtool");

  private static final Set<String> KEYS =
      Set.of("format", "delimiter", "header", "where", "columns");
  private static final Set<String> COLUMN_KEYS = Set.of("column", "value", "unit", "factor");
  private static final Set<String> UNITS = new TreeSet<>(Set.of("s", "ms", "us", "ns", "iso"));

  /** Columns that cannot be imported, since they are internal codes. */
  private static final Set<FlowColumn> OURS = Set.of(FlowColumn.SAMPLING_SOURCE, FlowColumn.TUNNEL);

  /**
   * A column of flows.
   *
   * @param source name or number of the source column; empty for a constant
   * @param constant instead of a source column
   * @param unit of times: s, ms, us, ns or iso
   * @param factor of numbers
   */
  record Column(FlowColumn target, String source, String constant, String unit, double factor) {}

  record Where(String source, String is) {}

  static Mapping of(String nameOrYaml) throws IOException {
    if (INCLUDED.contains(nameOrYaml)) {
      try (InputStream in = Mapping.class.getResourceAsStream(nameOrYaml + ".yaml")) {
        return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    if (!nameOrYaml.contains(":")) {
      throw new IllegalArgumentException(
          "mapping: unknown mapping \""
              + nameOrYaml
              + "\", expected one of "
              + String.join(", ", INCLUDED));
    }
    return parse(nameOrYaml);
  }

  private static Mapping parse(String yaml) {
    Object root;
    try {
      root = new Load(LoadSettings.builder().build()).loadFromString(yaml);
    } catch (YamlEngineException e) {
      throw new IllegalArgumentException(
          "mapping: invalid YAML: " + e.getMessage().strip().replaceAll("\\s+", " "), e);
    }
    Map<?, ?> keys = map("mapping", root);
    check("mapping", keys, KEYS);
    String format = text(keys, "format", "csv");
    if (!Set.of("csv", "parquet").contains(format)) {
      throw new IllegalArgumentException("mapping: format " + format + ", expected csv or parquet");
    }
    String delimiter = text(keys, "delimiter", ",");
    if (delimiter.length() != 1) {
      throw new IllegalArgumentException(
          "mapping: delimiter \"" + delimiter + "\", expected one character");
    }
    String header = text(keys, "header", "true");
    if (!Set.of("true", "false").contains(header)) {
      throw new IllegalArgumentException("mapping: header " + header + ", expected true or false");
    }
    Optional<Where> where = Optional.empty();
    if (keys.get("where") != null) {
      Map<?, ?> condition = map("where", keys.get("where"));
      check("where", condition, Set.of("column", "is"));
      where =
          Optional.of(
              new Where(
                  required("where", condition, "column"), required("where", condition, "is")));
    }
    List<Column> columns = new ArrayList<>();
    map("columns", keys.get("columns"))
        .forEach(
            (name, value) ->
                columns.add(column(String.valueOf(name), map("columns." + name, value))));
    Mapping mapping =
        new Mapping(
            format.equals("parquet"),
            delimiter.charAt(0),
            header.equals("true"),
            where,
            List.copyOf(columns));
    mapping.checkNumbers();
    return mapping;
  }

  private void checkNumbers() {
    if (isParquet || hasHeader) {
      return;
    }
    for (String source : sources()) {
      if (!source.matches("[1-9]\\d{0,3}")) {
        throw new IllegalArgumentException(
            "mapping: column " + source + ", expected a number from 1 where header is false");
      }
    }
  }

  List<String> sources() {
    Set<String> sources = new java.util.LinkedHashSet<>();
    where.ifPresent(condition -> sources.add(condition.source()));
    columns.stream().map(Column::source).filter(source -> !source.isEmpty()).forEach(sources::add);
    return List.copyOf(sources);
  }

  boolean fills(FlowColumn column) {
    return columns.stream().anyMatch(each -> each.target() == column);
  }

  private static Column column(String name, Map<?, ?> keys) {
    check("columns." + name, keys, COLUMN_KEYS);
    FlowColumn target =
        FlowColumn.ALL.stream()
            .filter(each -> each.columnName().equals(name) && !OURS.contains(each))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "mapping: columns." + name + ": not an importable column of flows"));
    String source = text(keys, "column", "");
    String constant = text(keys, "value", "");
    if (source.isEmpty() == constant.isEmpty()) {
      throw new IllegalArgumentException("mapping: columns." + name + ": expected column or value");
    }
    boolean isTime =
        target.type() == FlowColumn.Type.TIME || target.type() == FlowColumn.Type.MOMENT;
    String unit = text(keys, "unit", isTime ? "iso" : "");
    if (isTime != UNITS.contains(unit)) {
      throw new IllegalArgumentException(
          "mapping: columns."
              + name
              + ".unit: "
              + unit
              + (isTime
                  ? ", expected one of " + String.join(", ", UNITS)
                  : " applies to times only"));
    }
    String factor = text(keys, "factor", "1");
    try {
      return new Column(target, source, constant, unit, Double.parseDouble(factor));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "mapping: columns." + name + ".factor: " + factor + " is not a number", e);
    }
  }

  private static Map<?, ?> map(String key, Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException(
        (key.equals("mapping") ? key : "mapping: " + key) + ": expected keys and values");
  }

  private static void check(String where, Map<?, ?> keys, Set<String> known) {
    for (Object key : keys.keySet()) {
      if (!known.contains(String.valueOf(key))) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT,
                "mapping: %s: unknown key %s, expected one of %s",
                where,
                key,
                String.join(", ", new TreeSet<>(known))));
      }
    }
  }

  private static String required(String where, Map<?, ?> keys, String key) {
    String text = text(keys, key, "");
    if (text.isEmpty()) {
      throw new IllegalArgumentException("mapping: " + where + "." + key + " is missing");
    }
    return text;
  }

  private static String text(Map<?, ?> keys, String key, String otherwise) {
    Object value = keys.get(key);
    return value == null ? otherwise : String.valueOf(value);
  }
}
