package io.millrace.store.duckdb.query;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Column families of the published exchange-point schema: {@code d.ipS}, {@code as.asS}, {@code
 * dns.dnsD}. The view {@code netdata} has the columns without families, and {@code as} is a keyword
 * of DuckDB. So spaces replace the family in a query: columns and the positions in error messages
 * do not move.
 */
final class ColumnFamilies {
  private static final Map<String, Set<String>> COLUMNS =
      Map.of(
          "d", Set.of("ips", "ipsi", "ipd", "ipdi", "proto", "ports", "portd", "size"),
          "as", Set.of("ass", "asd"),
          "dns", Set.of("dnss", "dnsd"));

  private static final Pattern TOKEN =
      Pattern.compile(
          "'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|\\$(\\w*)\\$.*?\\$\\1\\$|--[^\\n]*+|/\\*.*?\\*/"
              + "|(?<word>[\\p{L}_][\\p{L}\\p{N}_]*+)(?<dot>\\.(?<column>[\\p{L}_][\\p{L}\\p{N}_]*+)|)",
          Pattern.DOTALL);

  private ColumnFamilies() {}

  static String removed(String sql) {
    if (!sql.toLowerCase(Locale.ROOT).contains("netdata")) {
      return sql;
    }
    StringBuilder out = new StringBuilder(sql);
    Matcher token = TOKEN.matcher(sql);
    while (token.find()) {
      String family = token.group("word");
      String column = token.group("column");
      if (family != null
          && column != null
          && !isQualified(sql, token.start())
          && COLUMNS
              .getOrDefault(family.toLowerCase(Locale.ROOT), Set.of())
              .contains(column.toLowerCase(Locale.ROOT))
          && !isAlias(sql, family)) {
        int dot = token.start("dot");
        out.replace(token.start(), dot + 1, " ".repeat(dot + 1 - token.start()));
      }
    }
    return out.toString();
  }

  private static boolean isQualified(String sql, int start) {
    return start > 0 && sql.charAt(start - 1) == '.';
  }

  private static boolean isAlias(String sql, String family) {
    if (family.equalsIgnoreCase("as")) {
      return false;
    }
    Matcher token = TOKEN.matcher(sql);
    while (token.find()) {
      if (family.equalsIgnoreCase(token.group("word")) && token.group("column") == null) {
        return true;
      }
    }
    return false;
  }
}
