package io.millrace.lab.siege;

import java.io.IOException;

/**
 * One way to do harm. Created for each phase and used by one thread, which strikes again and again
 * until the phase is over.
 */
@FunctionalInterface
interface Attack {
  /**
   * One round, of some seconds at the most. That the product rejects, closes or does not answer is
   * what an attacker expects.
   *
   * @throws IOException if the connection broke or could not be made: the next round follows
   */
  void strike(Attacker from) throws IOException;
}
