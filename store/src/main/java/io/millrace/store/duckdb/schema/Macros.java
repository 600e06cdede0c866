package io.millrace.store.duckdb.schema;

import io.millrace.store.Boundaries;
import io.millrace.store.DeviceNames;
import io.millrace.store.SqlLiteral;
import java.util.List;
import java.util.stream.Collectors;

/**
 * SQL macros for addresses, stored in the database so that the views work in any DuckDB that opens
 * it.
 *
 * <p>An address is stored as its 128 bits, IPv4 as {@code ::ffff:a.b.c.d}. {@code ip('192.0.2.1')}
 * parses an address, {@code ip_text(a)} formats it as RFC 5952 requires, {@code ip_number(a)}
 * returns an IPv4 address as a 32-bit number, and {@code in_subnet(a, '192.0.2.0/24')} compares
 * stored addresses without converting them to text. {@code date_bin} is {@code time_bucket} under
 * the name that Grafana's Flight SQL plugin uses, with a result in nanoseconds, which the plugin
 * assumes. {@code boundary(name, description)} returns the boundary of an interface as declared in
 * {@link Boundaries}.
 */
public final class Macros {
  private static final String V4_BASE = "281470681743360"; // ::ffff:0.0.0.0
  private static final String IS_V4 =
      "(a BETWEEN " + V4_BASE + "::UHUGEINT AND 281474976710655::UHUGEINT)";

  private Macros() {}

  /** Statements that create or replace the macros. */
  public static List<String> create(Boundaries boundaries) {
    return List.of(
        macro(DeviceNames.BOUNDARY, "name, description", boundary(boundaries)),
        macro("date_bin", "width, t, origin", "time_bucket(width, t, origin)::TIMESTAMP_NS"),
        macro(
            "ip_v4_text",
            "v",
            "(v >> 24) || '.' || (v >> 16 & 255) || '.' || (v >> 8 & 255) || '.' || (v & 255)"),
        macro(
            "ip_groups",
            "a",
            "list_aggregate(list_transform(regexp_extract_all(lpad(to_hex(a), 32, '0'), '....'),"
                + " lambda g: coalesce(nullif(ltrim(g, '0'), ''), '0')), 'string_agg', ':')"),
        // The longest run of zero groups, the first of equally long ones, becomes '::' (RFC 5952
        // section 4.2).
        macro("ip_shorten", "s", shorten()),
        // A macro copies its argument to each use, and every query of a view with addresses would
        // plan all copies. So the text is used once, as the parameter of a lambda.
        macro(
            "ip_text",
            "a",
            "CASE WHEN %s THEN %s((a - %s::UHUGEINT)::BIGINT) WHEN a IS NOT NULL THEN list_transform([':' || lower(%s(a)) || ':'], lambda s: %s(s))[1] END"
                .formatted(
                    IS_V4,
                    Catalog.main("ip_v4_text"),
                    V4_BASE,
                    Catalog.main("ip_groups"),
                    Catalog.main("ip_shorten"))),
        macro(
            "ip_number",
            "a",
            "CASE WHEN " + IS_V4 + " THEN a - " + V4_BASE + "::UHUGEINT ELSE a END"),
        macro(
            "ip_v4",
            "s",
            "(split_part(s, '.', 1)::UTINYINT::BIGINT << 24) + (split_part(s, '.',"
                + " 2)::UTINYINT::BIGINT << 16) + (split_part(s, '.', 3)::UTINYINT::BIGINT << 8) +"
                + " split_part(s, '.', 4)::UTINYINT::BIGINT"),
        macro(
            "ip_v6_part",
            "s",
            "list_transform(list_filter(string_split(s, ':'), lambda g: g <> ''), lambda g: ('0x'"
                + " || g)::UINTEGER::UHUGEINT)"),
        macro(
            "ip_v6",
            "s",
            "list_reduce("
                + Catalog.main("ip_v6_part")
                + "(split_part(s, '::', 1))"
                + " || list_transform(range(8 - len("
                + Catalog.main("ip_v6_part")
                + "(split_part(s, '::', 1))) - len("
                + Catalog.main("ip_v6_part")
                + "(split_part(s, '::', 2)))), lambda i: 0::UHUGEINT)"
                + " || "
                + Catalog.main("ip_v6_part")
                + "(split_part(s, '::', 2)), lambda x, y: x * 65536::UHUGEINT + y)"),
        macro(
            "ip",
            "s",
            "CASE WHEN contains(s, ':') THEN %s(s) ELSE %s::UHUGEINT + %s(s)::UHUGEINT END"
                .formatted(Catalog.main("ip_v6"), V4_BASE, Catalog.main("ip_v4"))),
        macro(
            "mac_text",
            "m",
            "regexp_replace(lower(lpad(to_hex(m), 12, '0')), '(..)(..)(..)(..)(..)(..)',"
                + " '\\1:\\2:\\3:\\4:\\5:\\6')"),
        macro(
            "ip_host_bits", // all bits after a subnet's prefix
            "s",
            "(340282366920938463463374607431768211455::UHUGEINT >> ((CASE WHEN contains(s, ':')"
                + " THEN 0 ELSE 96 END) + split_part(s, '/', 2)::INTEGER)::UHUGEINT)"),
        macro(
            "in_subnet",
            "a, s",
            "a BETWEEN %1$s - (%1$s & %2$s) AND (%1$s | %2$s)"
                .formatted(
                    Catalog.main("ip") + "(split_part(s, '/', 1))",
                    Catalog.main("ip_host_bits") + "(s)")));
  }

  private static String boundary(Boundaries boundaries) {
    StringBuilder sql = new StringBuilder("CASE ");
    boundaries
        .patterns()
        .forEach(
            (boundary, patterns) -> {
              String tests =
                  patterns.stream()
                      .map(SqlLiteral::of)
                      .map("name ILIKE %1$s OR description ILIKE %1$s"::formatted)
                      .collect(Collectors.joining(" OR "));
              sql.append("WHEN %s THEN %s ".formatted(tests, SqlLiteral.of(boundary)));
            });
    return sql.append("WHEN false THEN '' END").toString(); // a CASE has at least one WHEN
  }

  private static String shorten() {
    StringBuilder sql = new StringBuilder("regexp_replace(regexp_replace(CASE ");
    for (int zeros = 8; zeros >= 2; zeros--) {
      String run = ":" + "0:".repeat(zeros);
      sql.append("WHEN contains(s, '%1$s') THEN regexp_replace(s, '%1$s', '::') ".formatted(run));
    }
    return sql.append("ELSE s END, '^:([^:])', '\\1'), '([^:]):$', '\\1')").toString();
  }

  private static String macro(String name, String parameters, String body) {
    return "CREATE OR REPLACE MACRO " + Catalog.main(name) + "(" + parameters + ") AS " + body;
  }
}
