package io.millrace.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on loopback for what ends and comes back at the same one: below those that the kernel gives
 * to outgoing connections, so that nobody takes it meanwhile.
 */
public final class FreePort {
  private static final int LOWEST = 12_000;
  private static final int HIGHEST = 32_000;

  private FreePort() {}

  /** A free one. */
  public static int any() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return probe.getLocalPort();
      } catch (IOException taken) {
        // another one
      }
    }
  }
}
