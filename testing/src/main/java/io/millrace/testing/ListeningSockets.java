package io.millrace.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** TCP listen addresses of a process, from Linux's {@code /proc}. */
public final class ListeningSockets {
  private static final String LISTEN = "0A";
  private static final int INODE_FIELD = 9;

  private ListeningSockets() {}

  /** Listen addresses of a process id. */
  public static Set<InetSocketAddress> of(long pid) {
    try {
      Path process = Path.of("/proc", Long.toString(pid));
      Set<String> inodes = inodes(process.resolve("fd"));
      Set<InetSocketAddress> listening = new LinkedHashSet<>();
      for (String table : new String[] {"tcp", "tcp6"}) {
        for (String line : Files.readAllLines(process.resolve("net").resolve(table))) {
          String[] fields = line.strip().split(" +", -1);
          if (fields[3].equals(LISTEN) && inodes.contains(fields[INODE_FIELD])) {
            listening.add(address(fields[1]));
          }
        }
      }
      return listening;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> inodes(Path descriptors) throws IOException {
    try (Stream<Path> links = Files.list(descriptors)) {
      return links
          .map(ListeningSockets::target)
          .filter(target -> target.startsWith("socket:["))
          .map(target -> target.substring("socket:[".length(), target.length() - 1))
          .collect(Collectors.toSet());
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException closed) {
      return "";
    }
  }

  private static InetSocketAddress address(String text) throws UnknownHostException {
    String[] parts = text.split(":", -1);
    ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(parts[0]));
    ByteBuffer address = ByteBuffer.allocate(words.capacity()).order(ByteOrder.nativeOrder());
    while (words.hasRemaining()) {
      address.putInt(words.getInt());
    }
    return new InetSocketAddress(
        InetAddress.getByAddress(address.array()), Integer.parseInt(parts[1], 16));
  }
}
