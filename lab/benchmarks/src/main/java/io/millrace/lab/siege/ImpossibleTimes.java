package io.millrace.lab.siege;

import java.io.IOException;
import java.util.List;

/** Time ranges outside any calendar, and numbers out of range. */
final class ImpossibleTimes implements Attack {
  private static final double PER_SECOND = 40;
  private static final List<String> PATHS =
      List.of(
          "/api/v1/top?by=as&last=999999d",
          "/api/v1/top?by=as&to=9999-01-01T00:00:00Z",
          "/api/v1/top?by=as&from=-9999-01-01T00:00:00Z&to=+99999-01-01T00:00:00Z",
          "/api/v1/top?by=as&last=9223372036854775807d",
          "/api/v1/top?by=as&n=2147483647",
          "/api/v1/export?table=flows&from=0000-01-01T00:00:00Z&to=9999-12-31T00:00:00Z",
          "/api/v1/gateways/top?day=+999999999-01-01");

  private int turn;

  @Override
  public void strike(Attacker from) throws IOException {
    from.ask(from.target().http(), Requests.get(PATHS.get(turn++ % PATHS.size())));
    from.pace(PER_SECOND);
  }
}
