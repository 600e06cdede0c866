package io.millrace.lab.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The kernel's table of UDP sockets over IPv4, as Linux shows it (proc(5), {@code net/udp}). */
final class UdpSocketTable {
  private static final Path FILE = Path.of("/proc/net/udp");
  private static final int LOCAL_ADDRESS = 1;
  private static final int QUEUES = 4;
  private static final int DROPS = 12;

  private UdpSocketTable() {}

  /**
   * A socket.
   *
   * @param queuedBytes in its receive buffer, as the kernel counts them
   * @param drops datagrams dropped because the buffer was full
   */
  record Socket(long queuedBytes, long drops) {}

  /** The socket bound to a port; empty if there is none. */
  static Optional<Socket> find(int port) throws IOException {
    return find(Files.readAllLines(FILE), port);
  }

  static Optional<Socket> find(List<String> lines, int port) {
    String end = String.format(Locale.ROOT, ":%04X", port);
    for (String line : lines) {
      String[] words = line.trim().split("\\s+", -1);
      if (words.length > DROPS && words[LOCAL_ADDRESS].endsWith(end)) {
        String queued = words[QUEUES].substring(words[QUEUES].indexOf(':') + 1);
        return Optional.of(new Socket(Long.parseLong(queued, 16), Long.parseLong(words[DROPS])));
      }
    }
    return Optional.empty();
  }
}
