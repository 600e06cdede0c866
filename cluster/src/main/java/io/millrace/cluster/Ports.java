package io.millrace.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on loopback, one after the other. Free ones are looked for below those that the kernel
 * gives to outgoing connections: a process that was killed finds its own port free when it comes
 * back.
 */
final class Ports {
  private static final int LOWEST = 12_000;
  private static final int HIGHEST = 32_000;

  private final boolean given;
  private int next;

  /**
   * Ports from {@code base} on, all of which have to be free; for 0 free ones from a random one on.
   */
  Ports(int base) {
    given = base != 0;
    next = given ? base : ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
  }

  /**
   * The next one.
   *
   * @param process that will listen there, for the message
   * @throws ClusterException if it was given and is taken
   */
  int take(String process) {
    for (int attempt = 0; attempt < HIGHEST - LOWEST; attempt++) {
      int port = next;
      next = !given && next + 1 >= HIGHEST ? LOWEST : next + 1;
      if (isFree(port)) {
        return port;
      }
      if (given) {
        throw new ClusterException(
            "port " + port + " of " + process + " is taken; choose another --base-port");
      }
    }
    throw new ClusterException("no free port for " + process);
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return probe.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
