package io.millrace.datasets;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the columns of a CSV file are, in their order. Declared as a list of words:
 *
 * <ul>
 *   <li>{@code start}, {@code end}: first and last address of a range, as text or as integers
 *   <li>{@code cidr}: a range as {@code 192.0.2.0/24}, or a single address
 *   <li>{@code ip}: a single address
 *   <li>{@code name:number}, {@code name:text}: a field of the record
 *   <li>{@code _}: not used
 * </ul>
 */
public final class Columns {
  /** What a column is. */
  public enum Role {
    /** First address of a range. */
    START,
    /** Last address of a range, inclusive. */
    END,
    /** A range as prefix and length. */
    CIDR,
    /** A single address. */
    IP,
    /** A value of the record. */
    FIELD,
    /** Not used. */
    SKIPPED
  }

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");

  private final List<Role> roles;
  private final List<Field> fields;

  private Columns(List<Role> roles, List<Field> fields) {
    this.roles = List.copyOf(roles);
    this.fields = List.copyOf(fields);
  }

  /**
   * Reads a declaration.
   *
   * @param where path of the key, for messages
   * @param declared one word a column
   * @throws DatasetConfigException if a word is none of the above or a name comes twice
   */
  public static Columns parse(String where, List<String> declared) {
    List<Role> roles = new ArrayList<>();
    List<Field> fields = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < declared.size(); i++) {
      String word = declared.get(i).strip();
      String here = where + "[" + i + "]";
      switch (word) {
        case "start", "end", "cidr", "ip" -> roles.add(Role.valueOf(word.toUpperCase(Locale.ROOT)));
        case "_" -> roles.add(Role.SKIPPED);
        default -> {
          roles.add(Role.FIELD);
          fields.add(field(here, word));
        }
      }
      String name = word.replaceFirst(":.*", "");
      if (!word.equals("_") && !seen.add(name)) {
        throw new DatasetConfigException(here, "\"" + name + "\" is there twice");
      }
    }
    return new Columns(roles, fields);
  }

  private static Field field(String here, String word) {
    int colon = word.indexOf(':');
    String name = colon < 0 ? word : word.substring(0, colon);
    String kind = colon < 0 ? "" : word.substring(colon + 1).strip();
    if (!NAME.matcher(name).matches() || !(kind.equals("number") || kind.equals("text"))) {
      throw new DatasetConfigException(
          here,
          "\""
              + word
              + "\" is not a column; write start, end, cidr, ip, _, NAME:number or NAME:text,"
              + " with NAME in lower case");
    }
    return kind.equals("number") ? Field.number(name) : Field.text(name);
  }

  /** What each column is. */
  public List<Role> roles() {
    return roles;
  }

  /** The fields, in the order of their columns. */
  public List<Field> fields() {
    return fields;
  }

  /** The index of the first column in this role, or −1. */
  public int indexOf(Role role) {
    return roles.indexOf(role);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Columns columns
        && roles.equals(columns.roles)
        && fields.equals(columns.fields);
  }

  @Override
  public int hashCode() {
    return 31 * roles.hashCode() + fields.hashCode();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    int field = 0;
    for (Role role : roles) {
      text.append(text.length() > 1 ? ", " : "");
      if (role == Role.FIELD) {
        Field f = fields.get(field++);
        text.append(f.name()).append(f.isText() ? ":text" : ":number");
      } else {
        text.append(role == Role.SKIPPED ? "_" : role.name().toLowerCase(Locale.ROOT));
      }
    }
    return text.append(']').toString();
  }
}
