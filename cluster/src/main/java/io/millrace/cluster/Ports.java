package io.millrace.cluster;

import io.millrace.pulse.FreePort;
import java.util.HashSet;
import java.util.Set;

/** Ports on loopback, each another one: those from one on, or any that are free. */
final class Ports {
  private final boolean given;
  private int next;
  private final Set<Integer> taken = new HashSet<>();

  /** Ports from {@code base} on, all of which have to be free; for 0 any. */
  Ports(int base) {
    given = base != 0;
    next = base;
  }

  /**
   * The next one.
   *
   * @param process that will listen there, for the message
   * @throws ClusterException if it was given and is taken
   */
  int take(String process) {
    int port = given ? next++ : FreePort.any();
    if (given && !FreePort.isFree(port)) {
      throw new ClusterException(
          "port " + port + " of " + process + " is taken; choose another --base-port");
    }
    return taken.add(port) ? port : take(process);
  }
}
