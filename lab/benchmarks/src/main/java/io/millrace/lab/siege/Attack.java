package io.millrace.lab.siege;

import java.io.IOException;

/**
 * An attack. Created for each phase and used by one thread, which repeats it until the phase is
 * over.
 */
@FunctionalInterface
interface Attack {
  /**
   * Runs one round, of a few seconds at most. Rejections, closed connections and missing responses
   * are expected.
   *
   * @throws IOException if the connection broke or could not be opened; the next round follows
   */
  void strike(Attacker from) throws IOException;
}
