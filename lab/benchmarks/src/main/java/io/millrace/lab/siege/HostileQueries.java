package io.millrace.lab.siege;

import java.io.IOException;
import java.util.List;

/** Queries that exceed the limits of memory, time or disk, four at a time, in rotation. */
final class HostileQueries implements Attack {
  private static final int AT_ONCE = 4;

  private static final List<String> LIST =
      List.of(
          "SELECT len(range(300000000))",
          "SELECT len(range(60000000))",
          "SELECT length(repeat('x', 2000000000))",
          "SELECT length(lpad('x', 2000000000, 'y'))",
          "SELECT sum(len(list_sort(range(20000000 + i)))) FROM range(8) t(i)",
          "SELECT list(a.src_addr) FROM flows a, flows b",
          "SELECT count(*) FROM flows a, flows b, flows c WHERE a.bytes + b.bytes > c.bytes",
          "WITH RECURSIVE r(i, s) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, s || s FROM r)"
              + " SELECT max(length(s)) FROM r",
          "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000000000)"
              + " SELECT count(*) FROM r",
          "SELECT length(string_agg(src_addr::VARCHAR || repeat('x', 1000), ',')) FROM flows",
          "SELECT count(*) FROM flows WHERE regexp_matches("
              + "repeat('a', 100000) || src_addr::VARCHAR, '(a|aa)+(b|a*c)*$')",
          "SELECT a.*, b.* FROM flows a, flows b ORDER BY a.bytes * b.bytes",
          "SELECT " + "(".repeat(2_000) + "1" + ")".repeat(2_000),
          "SELECT count(*) FROM flows WHERE bytes IN (SELECT i FROM range(100000000) t(i))");

  private final Crowd crowd = Crowd.ofReaders(AT_ONCE);
  private int turn;

  @Override
  public void strike(Attacker from) throws IOException {
    crowd.turn(from, from.target().http(), () -> Requests.sql(LIST.get(turn++ % LIST.size())));
  }
}
