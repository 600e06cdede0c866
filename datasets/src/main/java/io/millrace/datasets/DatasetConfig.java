package io.millrace.datasets;

import io.millrace.datasets.Columns.Role;
import io.millrace.wire.block.FlowColumn;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The declaration of a data set: its files, columns and joins.
 *
 * @param name lower case with underscores; names the set in commands and messages
 * @param kind storage and key type
 * @param files ranges or pairs: CSV (plain or gzip), YAML, or MMDB (ranges only); key-value: one
 *     built file; members: JSON; an exporter's own numbers: none
 * @param columns columns of the CSV files
 * @param join prefix of the added columns, by flow column to look up, in the order of the columns.
 *     Allowed are columns of addresses; for pairs, of interfaces (looked up with the exporter) or
 *     ports (with the protocol); for an exporter's own numbers, of its ASes; for MAC addresses, of
 *     MAC addresses; for members, of MAC addresses and addresses
 * @param lenient whether invalid lines are skipped and counted instead of rejecting the file
 * @param hotKeys cache entries of each lookup of a key-value set; rounded up to a power of two; 8
 *     bytes each for IPv4 and 24 for IPv6
 */
public record DatasetConfig(
    String name,
    Kind kind,
    List<Path> files,
    Columns columns,
    Map<FlowColumn, String> join,
    boolean lenient,
    int hotKeys) {

  /** Storage and key type. */
  public enum Kind {
    /** Address ranges, in memory. */
    RANGE,
    /** Single addresses, on disk. */
    KEYVALUE,
    /** Interfaces or VRFs of devices, or ports of protocols, in memory. */
    PAIR,
    /** AS numbers as reported by exporters, without a table. */
    EXPORTER,
    /** MAC addresses, optionally with exporter and VLAN, in memory. */
    MAC,
    /** Members of an internet exchange by MAC address and address, from the IX-F JSON format. */
    IXF
  }

  private static final Set<Role> INTERFACES = Set.of(Role.EXPORTER, Role.INTERFACE);
  private static final Set<Role> VRFS = Set.of(Role.EXPORTER, Role.VRF);
  private static final Set<Role> PORTS = Set.of(Role.PROTO, Role.PORT);

  private static final Set<Role> MAC_KEYS = Set.of(Role.MAC, Role.EXPORTER, Role.VLAN);

  /** The fields of a set of the kind {@link Kind#IXF}: a member's name and its AS number. */
  public static final List<Field> MEMBER_FIELDS =
      List.of(Field.text("member"), Field.number("member_asn"));

  /** Default of {@link #hotKeys}. */
  public static final int DEFAULT_HOT_KEYS = 1 << 20;

  private static final int MAX_HOT_KEYS = 1 << 26;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");
  private static final Set<String> PLACE = Set.of("log_partition", "log_offset", "log_index");

  public DatasetConfig {
    if (!NAME.matcher(name).matches()) {
      throw new DatasetConfigException(
          "datasets", "\"" + name + "\" is not a name; use lower case, digits and _");
    }
    files = List.copyOf(files);
    join = Collections.unmodifiableMap(new LinkedHashMap<>(join));
    String where = "datasets." + name;
    checkColumns(where + ".columns", kind, columns);
    if (kind == Kind.EXPORTER && !files.isEmpty()) {
      throw new DatasetConfigException(
          where + ".files", "kind exporter has no files; remove them, or use kind: range");
    }
    if (files.isEmpty() && kind != Kind.EXPORTER) {
      throw new DatasetConfigException(where + ".files", "missing, expected at least one file");
    }
    if (kind == Kind.KEYVALUE && files.size() > 1) {
      throw new DatasetConfigException(
          where + ".files", files.size() + " files, expected one built file for a keyvalue set");
    }
    if (hotKeys < 1 || hotKeys > MAX_HOT_KEYS) {
      throw new DatasetConfigException(
          where + ".hot_keys", hotKeys + " is out of range, expected 1 to " + MAX_HOT_KEYS);
    }
    for (Map.Entry<FlowColumn, String> on : join.entrySet()) {
      if (!keys(kind, columns).contains(on.getKey())) {
        throw new DatasetConfigException(
            where + ".join",
            "\"%s\" is not a key of this set; expected %s"
                .formatted(on.getKey().columnName(), names(keys(kind, columns))));
      }
      if (!on.getValue().isEmpty() && !NAME.matcher(on.getValue()).matches()) {
        throw new DatasetConfigException(
            where + ".join." + on.getKey().columnName(),
            "\"" + on.getValue() + "\" is not a prefix; use lower case, digits and _");
      }
    }
  }

  /**
   * Parses a declaration of a configuration file.
   *
   * @param name key under {@code datasets}
   * @param kind {@code range}, {@code keyvalue}, {@code pair}, {@code exporter}, {@code mac} or
   *     {@code ixf}
   * @param files paths
   * @param columns see {@link Columns}; empty for members
   * @param join flow column to prefix, in the order of the file
   * @param lenient as {@link #lenient}
   * @param hotKeys as {@link #hotKeys}
   * @throws DatasetConfigException if a value is invalid; the message has key, value and allowed
   *     values
   */
  public static DatasetConfig parse(
      String name,
      String kind,
      List<Path> files,
      List<String> columns,
      Map<String, String> join,
      boolean lenient,
      int hotKeys) {
    String where = "datasets." + name;
    Kind its = parseKind(where + ".kind", kind);
    Columns parsed =
        its == Kind.IXF && columns.isEmpty()
            ? Columns.ofFields(MEMBER_FIELDS)
            : Columns.parse(where + ".columns", columns);
    Map<FlowColumn, String> on = new LinkedHashMap<>();
    join.forEach(
        (column, prefix) -> on.put(flowColumn(where + ".join", column, keys(its, parsed)), prefix));
    return new DatasetConfig(name, its, files, parsed, on, lenient, hotKeys);
  }

  /** This set without derived fields. */
  public DatasetConfig withoutDerived() {
    return new DatasetConfig(name, kind, files, columns.withoutDerived(), join, lenient, hotKeys);
  }

  /** The columns that this set adds to flows: all fields for each join, in order. */
  public List<JoinedField> joined() {
    List<JoinedField> joined = new ArrayList<>();
    join.forEach(
        (on, prefix) -> {
          for (int i = 0; i < columns.fields().size(); i++) {
            Field field = columns.fields().get(i);
            joined.add(new JoinedField(on, i, prefix + field.name(), field.isText()));
          }
        });
    return joined;
  }

  /**
   * Checks that the sets of a configuration are compatible: no duplicate sets or columns, and no
   * names of flow columns.
   */
  public static void checkTogether(List<DatasetConfig> configs) {
    Set<String> names = new HashSet<>();
    Map<String, String> owners = new HashMap<>();
    FlowColumn.ALL.forEach(column -> owners.put(column.columnName(), "flows"));
    PLACE.forEach(column -> owners.put(column, "flows"));
    for (DatasetConfig config : configs) {
      String where = "datasets." + config.name;
      if (!names.add(config.name)) {
        throw new DatasetConfigException(where, "duplicate data set");
      }
      for (JoinedField field : config.joined()) {
        String owner = owners.putIfAbsent(field.columnName(), where);
        if (owner != null) {
          throw new DatasetConfigException(
              where + ".join." + field.on().columnName(),
              "the column \""
                  + field.columnName()
                  + "\" comes from "
                  + owner
                  + "; choose another prefix or name");
        }
      }
    }
  }

  private static void checkColumns(String where, Kind kind, Columns columns) {
    Set<Role> keys = new TreeSet<>(columns.roles());
    keys.removeAll(Set.of(Role.FIELD, Role.SKIPPED));
    if (kind == Kind.RANGE) {
      if (!keys.equals(Set.of(Role.START, Role.END)) && !keys.equals(Set.of(Role.CIDR))) {
        throw new DatasetConfigException(where, columns + " must have start and end, or cidr");
      }
      checkFields(where, columns);
    } else if (kind == Kind.PAIR) {
      if (!List.of(INTERFACES, VRFS, PORTS).contains(keys)) {
        throw new DatasetConfigException(
            where,
            columns + " must have exporter and interface, exporter and vrf, or proto and port");
      }
      checkFields(where, columns);
    } else if (kind == Kind.MAC) {
      if (!keys.contains(Role.MAC) || !MAC_KEYS.containsAll(keys)) {
        throw new DatasetConfigException(
            where, columns + " must have mac, and no other key than exporter and vlan");
      }
      checkFields(where, columns);
    } else if (kind == Kind.IXF) {
      if (!columns.equals(Columns.ofFields(MEMBER_FIELDS))) {
        throw new DatasetConfigException(
            where, columns + " not allowed for kind: ixf, whose columns are fixed; remove them");
      }
    } else if (kind == Kind.EXPORTER) {
      if (!keys.isEmpty() || columns.fields().size() != 1 || columns.fields().get(0).isText()) {
        throw new DatasetConfigException(
            where, columns + " must have exactly one field, NAME:number, and no key");
      }
    } else {
      if (!keys.equals(Set.of(Role.IP))) {
        throw new DatasetConfigException(where, columns + " must have ip, and no other key");
      }
      if (columns.ownFields().size() != 1 || !columns.fields().get(0).isText()) {
        throw new DatasetConfigException(
            where, columns + " must have exactly one field, NAME:text, in a keyvalue set");
      }
      if (columns.fields().size() > 2) {
        throw new DatasetConfigException(where, columns + " derives more than one field");
      }
    }
  }

  private static void checkFields(String where, Columns columns) {
    if (columns.fields().isEmpty()) {
      throw new DatasetConfigException(where, columns + " has no field; add NAME:number or :text");
    }
    if (columns.ownFields().size() < columns.fields().size()) {
      throw new DatasetConfigException(
          where, columns + " derives a field; only a keyvalue set can");
    }
  }

  private static Kind parseKind(String where, String text) {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new DatasetConfigException(
                    where,
                    "\""
                        + text
                        + "\" is not a kind; expected range, keyvalue, pair, exporter, mac or ixf"));
  }

  private static FlowColumn flowColumn(String where, String text, List<FlowColumn> keys) {
    return FlowColumn.ALL.stream()
        .filter(column -> column.columnName().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new DatasetConfigException(
                    where,
                    "\"%s\" is not a column of flows; expected %s".formatted(text, names(keys))));
  }

  private static List<FlowColumn> keys(Kind kind, Columns columns) {
    if (kind == Kind.EXPORTER) {
      return List.of(FlowColumn.EXPORTER_SRC_AS, FlowColumn.EXPORTER_DST_AS);
    }
    if (kind == Kind.PAIR) {
      if (columns.roles().contains(Role.PORT)) {
        return List.of(FlowColumn.SRC_PORT, FlowColumn.DST_PORT);
      }
      return columns.roles().contains(Role.VRF)
          ? List.of(FlowColumn.IN_VRF, FlowColumn.OUT_VRF)
          : List.of(FlowColumn.IN_IF, FlowColumn.OUT_IF);
    }
    if (kind == Kind.MAC) {
      return List.of(FlowColumn.SRC_MAC, FlowColumn.DST_MAC);
    }
    return FlowColumn.ALL.stream()
        .filter(
            column ->
                column.type() == FlowColumn.Type.ADDRESS
                    || (kind == Kind.IXF && column.type() == FlowColumn.Type.MAC))
        .toList();
  }

  private static String names(List<FlowColumn> columns) {
    return columns.stream().map(FlowColumn::columnName).collect(Collectors.joining(", "));
  }
}
