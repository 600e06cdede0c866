package io.millrace.pulse;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on loopback for who listens later, or ends and comes back at the same one: below those that
 * the kernel gives to whoever asks for any, so that nobody takes them meanwhile.
 */
public final class FreePort {
  private static final int LOWEST = 12_000;
  private static final int HIGHEST = 32_000;

  private FreePort() {}

  /** One at which nobody listens, for TCP and UDP. */
  public static int any() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (isFree(port)) {
        return port;
      }
    }
  }

  /** Whether nobody listens there, for TCP and UDP. */
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
