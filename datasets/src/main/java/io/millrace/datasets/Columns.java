package io.millrace.datasets;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The columns of a CSV file, in order, declared as a list of words:
 *
 * <ul>
 *   <li>{@code start}, {@code end}: first and last address of a range, as text or as integers
 *   <li>{@code cidr}: a range as {@code 192.0.2.0/24}, or a single address
 *   <li>{@code ip}: a single address
 *   <li>{@code exporter} and {@code interface}: a device's address, and the index of an interface
 *   <li>{@code proto} and {@code port}: numbers of an IP protocol and of a port
 *   <li>{@code mac}: a MAC address; {@code vlan}: the number of a VLAN
 *   <li>{@code name:number}, {@code name:text}: a field of the record
 *   <li>{@code _}: not used
 * </ul>
 *
 * followed by derived fields, which are not in the file:
 *
 * <ul>
 *   <li>{@code name:domain(field)}: the registrable domain of the DNS names in a text field
 * </ul>
 */
public final class Columns {
  /** Role of a column. */
  public enum Role {
    /** First address of a range. */
    START,
    /** Last address of a range, inclusive. */
    END,
    /** A range as prefix and length. */
    CIDR,
    /** A single address. */
    IP,
    /** Address of a device; the key together with an interface or a VRF. */
    EXPORTER,
    /** Index of an interface of the device. */
    INTERFACE,
    /** Number of a VRF of the device. */
    VRF,
    /** Number of an IP protocol; the key together with a port. */
    PROTO,
    /** Port of the protocol. */
    PORT,
    /** A MAC address. */
    MAC,
    /** Number of a VLAN, empty for any. */
    VLAN,
    /** A value of the record. */
    FIELD,
    /** Not used. */
    SKIPPED
  }

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");
  private static final Pattern DERIVED = Pattern.compile("(.*):domain\\((.*)\\)");

  private final List<Role> roles;
  private final List<Field> fields;
  private final List<Integer> sources;

  /** Fields only, for a format without columns. */
  public static Columns ofFields(List<Field> fields) {
    return new Columns(Collections.nCopies(fields.size(), Role.FIELD), fields, List.of());
  }

  private Columns(List<Role> roles, List<Field> fields, List<Integer> sources) {
    this.roles = List.copyOf(roles);
    this.fields = List.copyOf(fields);
    this.sources = List.copyOf(sources);
  }

  /**
   * Parses a declaration.
   *
   * @param where path of the key, for messages
   * @param declared one word for each column, then one for each derived field
   * @throws DatasetConfigException if a word is not one of the above or a name is duplicate
   */
  public static Columns parse(String where, List<String> declared) {
    List<Role> roles = new ArrayList<>();
    List<Field> fields = new ArrayList<>();
    List<Integer> sources = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < declared.size(); i++) {
      String word = declared.get(i).strip();
      String here = where + "[" + i + "]";
      Matcher derived = DERIVED.matcher(word);
      if (derived.matches()) {
        sources.add(source(here, derived.group(2).strip(), fields));
        fields.add(field(here, word, derived.group(1), "text"));
      } else if (!sources.isEmpty()) {
        throw new DatasetConfigException(
            here, "\"" + word + "\" after a derived field; derived fields come last");
      } else {
        addColumn(here, word, roles, fields);
      }
      String name = word.replaceFirst(":.*", "");
      if (!word.equals("_") && !seen.add(name)) {
        throw new DatasetConfigException(here, "\"" + name + "\" is a duplicate column");
      }
    }
    return new Columns(roles, fields, sources);
  }

  private static void addColumn(String here, String word, List<Role> roles, List<Field> fields) {
    switch (word) {
      case "start",
          "end",
          "cidr",
          "ip",
          "exporter",
          "interface",
          "vrf",
          "proto",
          "port",
          "mac",
          "vlan" ->
          roles.add(Role.valueOf(word.toUpperCase(Locale.ROOT)));
      case "_" -> roles.add(Role.SKIPPED);
      default -> {
        String[] parts = word.split(":", 2);
        fields.add(field(here, word, parts[0], parts.length < 2 ? "" : parts[1].strip()));
        roles.add(Role.FIELD);
      }
    }
  }

  private static int source(String here, String name, List<Field> fields) {
    int source = fields.indexOf(Field.text(name));
    if (source < 0) {
      throw new DatasetConfigException(
          here,
          "\"" + name + "\" is not a preceding text field, from which domains can be derived");
    }
    return source;
  }

  private static Field field(String here, String word, String name, String kind) {
    if (!NAME.matcher(name).matches() || !(kind.equals("number") || kind.equals("text"))) {
      throw new DatasetConfigException(
          here,
          "\""
              + word
              + "\" is not a column; expected start, end, cidr, ip, exporter, interface, proto, port,"
              + " mac, vlan, _, NAME:number, NAME:text or NAME:domain(FIELD), with NAME in lower case");
    }
    return kind.equals("number") ? Field.number(name) : Field.text(name);
  }

  /** Roles of the columns. */
  public List<Role> roles() {
    return roles;
  }

  /** Names of the columns: those of fields, and the roles of others. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    int field = 0;
    for (Role role : roles) {
      names.add(
          switch (role) {
            case FIELD -> fields.get(field++).name();
            case SKIPPED -> "_";
            default -> role.name().toLowerCase(Locale.ROOT);
          });
    }
    return names;
  }

  /** The fields in column order, followed by the derived ones. */
  public List<Field> fields() {
    return fields;
  }

  /** The fields without the derived ones. */
  public List<Field> ownFields() {
    return fields.subList(0, fields.size() - sources.size());
  }

  /** Index of the field that a derived field comes from; −1 for a field of the file. */
  public int sourceOf(int field) {
    int own = fields.size() - sources.size();
    return field < own ? -1 : sources.get(field - own);
  }

  /** The same columns without derived fields. */
  public Columns withoutDerived() {
    return new Columns(roles, ownFields(), List.of());
  }

  /** Index of the first column with this role, or −1. */
  public int indexOf(Role role) {
    return roles.indexOf(role);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Columns columns
        && roles.equals(columns.roles)
        && fields.equals(columns.fields)
        && sources.equals(columns.sources);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * roles.hashCode() + fields.hashCode()) + sources.hashCode();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    int field = 0;
    for (int i = 0; i < roles.size(); i++) {
      text.append(i > 0 ? ", " : "").append(names().get(i));
      if (roles.get(i) == Role.FIELD) {
        text.append(fields.get(field++).isText() ? ":text" : ":number");
      }
    }
    for (int source : sources) {
      text.append(", ").append(fields.get(field++).name());
      text.append(":domain(").append(fields.get(source).name()).append(')');
    }
    return text.append(']').toString();
  }
}
