package io.millrace.lab.siege;

import java.io.IOException;
import java.util.List;

/** Concurrent queries of 1 MiB each, which become large syntax trees. */
final class LongBodies implements Attack {
  private static final int AT_ONCE = 16;
  private static final int CHARACTERS = (1 << 20) - 200;

  private static final List<String> BODIES =
      List.of(
          "SELECT 1" + "+1".repeat(CHARACTERS / 2),
          "SELECT count(*) FROM flows WHERE bytes IN (0" + ",1".repeat(CHARACTERS / 2 - 40) + ")",
          "SELECT " + "[".repeat(CHARACTERS / 2 - 10) + "]".repeat(CHARACTERS / 2 - 10),
          "SELECT 1" + " UNION ALL SELECT 1".repeat(CHARACTERS / 19));

  private final Crowd crowd = Crowd.ofReaders(AT_ONCE);
  private int turn;

  @Override
  public void strike(Attacker from) throws IOException {
    crowd.turn(from, from.target().http(), () -> Requests.sql(BODIES.get(turn++ % BODIES.size())));
  }
}
