package io.millrace.cluster;

import io.millrace.pulse.FreePort;
import java.util.HashSet;
import java.util.Set;

final class Ports {
  private final boolean given;
  private int next;
  private final Set<Integer> taken = new HashSet<>();

  Ports(int base) {
    given = base != 0;
    next = base;
  }

  int take(String process) {
    int port = given ? next++ : FreePort.any();
    if (given && !FreePort.isFree(port)) {
      throw new ClusterException(
          "port " + port + " of " + process + " is in use; choose another --base-port");
    }
    return taken.add(port) ? port : take(process);
  }
}
