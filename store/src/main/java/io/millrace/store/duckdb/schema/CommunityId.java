package io.millrace.store.duckdb.schema;

import java.util.List;

/**
 * Community ID, version 1 with seed 0: a name for a flow that other tools (Zeek, Suricata,
 * Wireshark) compute alike, in both directions.
 *
 * <pre>
 *   "1:" base64(SHA-1(seed | smaller address | larger address | protocol | 0 | port | port))
 *         2 bytes       4 or 16             4 or 16             1      1      2      2
 * </pre>
 *
 * The end with the smaller address is first; if addresses are equal, that with the smaller port.
 * Only TCP, UDP, SCTP and ICMP have ports. Those of ICMP are its type and the type of the reply; a
 * message without a reply uses type and code, and keeps its direction.
 *
 * <p>Written in SQL over stored addresses, so that the database computes it on its own threads, and
 * only for queries that select it. Source: the specification at corelight/community-id-spec.
 */
public final class CommunityId {
  static final String NAME = "community_id";

  private static final String V4_LAST = "281474976710655";
  private static final String V4_FIRST = "281470681743360";

  private static final int[][] ICMP_PAIRS = {{8, 0}, {13, 14}, {15, 16}, {10, 9}, {17, 18}};

  private static final int[][] ICMP6_PAIRS = {
    {128, 129}, {133, 134}, {135, 136}, {130, 131}, {139, 140}, {144, 145}
  };

  private CommunityId() {}

  /** Statements that create or replace the macros, in the order of their dependencies. */
  public static List<String> create() {
    return List.of(
        macro("community_address", "a", address()),
        macro("community_number", "n, digits", "lpad(to_hex(n::BIGINT), digits, '0')"),
        macro("community_answer", "p, t", answer()),
        macro("community_text", "hex", "'1:' || to_base64(unhex(sha1(unhex('0000' || hex))))"),
        macro("community_ends", "first, second, p, port1, port2", ends()),
        macro("community_ordered", "s, d, p, port1, port2, way", ordered()),
        macro(NAME, "s, d, p, sport, dport", whole()));
  }

  private static String address() {
    return "CASE WHEN a BETWEEN %s::UHUGEINT AND %s::UHUGEINT THEN lpad(to_hex(a - %s::UHUGEINT), 8, '0') ELSE lpad(to_hex(a), 32, '0') END"
        .formatted(V4_FIRST, V4_LAST, V4_FIRST);
  }

  private static String answer() {
    StringBuilder sql = new StringBuilder("CASE p");
    for (int[][] pairs : List.of(ICMP_PAIRS, ICMP6_PAIRS)) {
      sql.append(pairs == ICMP_PAIRS ? " WHEN 1" : " WHEN 58").append(" THEN CASE t");
      for (int[] pair : pairs) {
        sql.append(
            " WHEN %d THEN %d WHEN %d THEN %d".formatted(pair[0], pair[1], pair[1], pair[0]));
      }
      sql.append(" END");
    }
    return sql.append(" END").toString();
  }

  private static String ends() {
    return Catalog.main("community_address")
        + "(first) || "
        + Catalog.main("community_address")
        + "(second) || "
        + number("p", 2)
        + " || '00' || CASE WHEN port1 IS NULL OR port2 IS NULL OR p NOT IN (1, 6, 17, 58, 132)"
        + " THEN '' ELSE "
        + number("port1", 4)
        + " || "
        + number("port2", 4)
        + " END";
  }

  private static String number(String sql, int digits) {
    return Catalog.main("community_number") + "(" + sql + ", " + digits + ")";
  }

  private static String ordered() {
    String ends = Catalog.main("community_ends");
    return "CASE WHEN way OR s < d OR (s = d AND coalesce(port1 <= port2, true)) THEN %s(s, d, p, port1, port2) ELSE %s(d, s, p, port2, port1) END"
        .formatted(ends, ends);
  }

  private static String whole() {
    String answer = Catalog.main("community_answer") + "(p, sport)";
    return "CASE WHEN s IS NOT NULL AND d IS NOT NULL AND p IS NOT NULL THEN %s(%s(s, d, p, sport, coalesce(%s, dport), p IN (1, 58) AND %s IS NULL)) END"
        .formatted(
            Catalog.main("community_text"), Catalog.main("community_ordered"), answer, answer);
  }

  private static String macro(String name, String parameters, String body) {
    return "CREATE OR REPLACE MACRO " + Catalog.main(name) + "(" + parameters + ") AS " + body;
  }
}
