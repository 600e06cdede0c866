package io.millrace.lab.siege;

import java.io.IOException;

/** Forty clients that query all rows and read at most 50 bytes/s. */
final class SlowReaders implements Attack {
  private static final int READERS = 40;

  private final Crowd crowd = new Crowd(READERS, 1, new byte[0]);

  @Override
  public void strike(Attacker from) throws IOException {
    crowd.turn(from, from.target().http(), () -> Requests.sql("SELECT * FROM flows"));
  }
}
