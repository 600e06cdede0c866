package io.millrace.pulse;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free loopback ports to bind later or again after a restart. They are below the kernel's
 * range of ephemeral ports, so that no other process gets them in between.
 */
public final class FreePort {
  private static final int LOWEST = 12_000;
  private static final int HIGHEST = 32_000;

  private FreePort() {}

  /** Returns a port that is free for TCP and UDP. */
  public static int any() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (isFree(port)) {
        return port;
      }
    }
  }

  /** Whether the port is free for TCP and UDP. */
  public static boolean isFree(int port) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    try (ServerSocket tcp = new ServerSocket();
        DatagramSocket udp = new DatagramSocket(address)) {
      tcp.bind(address, 1);
      return udp.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
