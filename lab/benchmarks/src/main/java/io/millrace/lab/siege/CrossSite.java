package io.millrace.lab.siege;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/**
 * Requests that a page of another site makes a browser send: with a foreign host name or origin,
 * and endless replays.
 */
final class CrossSite implements Attack {
  private static final double PER_SECOND = 40;
  private static final String FOREIGN = "Host: rebound.example\r\n";
  private static final String ORIGIN =
      "Host: 127.0.0.1\r\nOrigin: http://evil.example\r\nContent-Type: text/plain\r\n";
  private static final String SQL = "{\"sql\": \"SELECT * FROM flows LIMIT 10000\"}";

  private int turn;

  @Override
  public void strike(Attacker from) throws IOException {
    byte[] request =
        switch (turn++ % 5) {
          case 0 -> Requests.get("/api/v1/top?by=src_addr", FOREIGN);
          case 1 -> Requests.post("/api/v1/sql", FOREIGN, SQL);
          case 2 -> Requests.post("/api/v1/sql", ORIGIN, SQL);
          case 3 -> Requests.post("/api/v1/replay", ORIGIN, window());
          default -> Requests.post("/api/v1/replay", "Host: 127.0.0.1\r\n", window());
        };
    from.ask(from.target().http(), request);
    from.pace(PER_SECOND);
  }

  /** The last minute, shifted by some milliseconds so that no two windows are equal. */
  private String window() {
    Instant to = Instant.now().minusMillis(turn);
    return "{\"from\": \"%s\", \"to\": \"%s\"}".formatted(to.minus(Duration.ofMinutes(1)), to);
  }
}
