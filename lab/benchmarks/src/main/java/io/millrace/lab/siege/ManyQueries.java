package io.millrace.lab.siege;

import java.io.IOException;

/** Valid queries that use all resources, 64 at a time. */
final class ManyQueries implements Attack {
  private static final int AT_ONCE = 64;
  private static final String QUERY =
      "SELECT src_addr, dst_addr, src_port, dst_port, count(*), sum(bytes) FROM flows GROUP BY ALL"
          + " ORDER BY 6 DESC LIMIT 100";

  private final Crowd crowd = Crowd.ofReaders(AT_ONCE);

  @Override
  public void strike(Attacker from) throws IOException {
    crowd.turn(from, from.target().http(), () -> Requests.sql(QUERY));
  }
}
