package io.millrace.store.query;

import java.util.List;
import java.util.Set;

/** Appends parts of a statement in a dialect. */
public final class SqlWriter {
  private final StringBuilder text = new StringBuilder();
  private final Set<Expr.Column> columns;
  private final Dialect dialect;

  SqlWriter(Dialect dialect) {
    this(dialect, null);
  }

  /**
   * @param columns collects the columns that occur; null if they are not needed
   */
  SqlWriter(Dialect dialect, Set<Expr.Column> columns) {
    this.dialect = dialect;
    this.columns = columns;
  }

  Dialect dialect() {
    return dialect;
  }

  SqlWriter add(String keywords) {
    text.append(keywords);
    return this;
  }

  SqlWriter add(Sql part) {
    part.write(this);
    return this;
  }

  SqlWriter parenthesized(Sql part) {
    return add("(").add(part).add(")");
  }

  SqlWriter join(String separator, List<? extends Sql> parts) {
    for (int i = 0; i < parts.size(); i++) {
      add(i == 0 ? "" : separator).add(parts.get(i));
    }
    return this;
  }

  /** Adds a clause with parts; nothing if there are none. */
  SqlWriter clause(String keywords, String separator, List<? extends Sql> parts) {
    return parts.isEmpty() ? this : add(keywords).join(separator, parts);
  }

  SqlWriter name(String name) {
    text.append('"');
    text.append(name.indexOf('"') < 0 ? name : name.replace("\"", "\"\"")).append('"');
    return this;
  }

  SqlWriter names(List<String> names) {
    for (int i = 0; i < names.size(); i++) {
      add(i == 0 ? "" : ", ").name(names.get(i));
    }
    return this;
  }

  /** Replaces the placeholders {@code {0}} to {@code {9}} of a template. */
  SqlWriter fill(String template, List<? extends Sql> parts) {
    int from = 0;
    for (int at = template.indexOf('{'); at >= 0; at = template.indexOf('{', from)) {
      text.append(template, from, at);
      add(parts.get(template.charAt(at + 1) - '0'));
      from = at + 3;
    }
    text.append(template, from, template.length());
    return this;
  }

  void saw(Expr.Column column) {
    if (columns != null) {
      columns.add(column);
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
