package io.millrace.lab.siege;

import io.millrace.lab.soak.Api;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A client that sends hostile SQL, four queries at a time, until it is closed. */
public final class SqlAttack implements AutoCloseable {
  private static final String NAME = "sql";
  private static final int SECONDS =
      60; // for attacks that spread their work, which this one does not
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Pattern ENDED =
      Pattern.compile("(?m)^millrace_query_seconds_count\\{query=\"sql\"\\} (\\d+)");

  private final Api api;
  private final long before;
  private final Attacker attacker;

  /**
   * Starts the attack.
   *
   * @param udp address of the collector, which gets nothing
   * @param http port of the API on loopback
   */
  public SqlAttack(InetSocketAddress udp, int http) throws IOException {
    api = new Api(http, PATIENCE);
    before = ended();
    long self = ProcessHandle.current().pid();
    attacker =
        new Attacker(
            Attacks.of(NAME),
            new Target(self, udp, http, 0, 0, "", "", "", SECONDS, 1),
            Attacks.number(NAME));
  }

  /** Queries that have ended since the start, by a result or an error. */
  public long queries() throws IOException {
    return ended() - before;
  }

  private long ended() throws IOException {
    Matcher count = ENDED.matcher(api.metrics());
    if (!count.find()) {
      throw new IOException("/metrics has no number of queries");
    }
    return Long.parseLong(count.group(1));
  }

  /** Closes its connections. */
  @Override
  public void close() throws IOException {
    attacker.close();
  }
}
