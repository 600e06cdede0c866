package io.millrace.store.duckdb.schema;

/** Names inside the DuckDB file. */
public final class Catalog {
  /** The file, as attached. */
  public static final String DATABASE = "millrace";

  /** Schema of what is stored. */
  public static final String RAW_SCHEMA = "raw";

  private Catalog() {}

  /** A name as SQL wants it where it may be a keyword. */
  public static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** The view over all rows of a table of flows as they are stored, in full. */
  public static String rows(String table) {
    return raw(table + "__rows");
  }

  /** A stored table, in full. */
  public static String raw(String table) {
    return DATABASE + "." + RAW_SCHEMA + "." + quoted(table);
  }

  /** A view or macro that people use, in full. */
  public static String main(String name) {
    return DATABASE + ".main." + quoted(name);
  }
}
