package io.millrace.lab.siege;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A process measured from outside, independently of the product. Immutable. */
public final class Proc {
  private static final String LISTENING = "0A";

  /** 127.0.0.1 and ::1 as the kernel writes them. */
  private static final List<String> LOOPBACK =
      List.of("0100007F", "00000000000000000000000001000000");

  private final long pid;
  private final Path directory;

  public Proc(long pid) {
    this.pid = pid;
    directory = Path.of("/proc", Long.toString(pid));
  }

  /** A TCP port on which the process listens, and whether on more than 127.0.0.1 or ::1. */
  record Listener(int port, boolean isOpen) {}

  /** Resident memory in MiB; 0 if the process has ended. */
  public double residentMib() {
    try {
      return kib(Files.readAllLines(directory.resolve("status")), "VmRSS:") / 1_024;
    } catch (IOException e) {
      return 0;
    }
  }

  /** Processor time used by the process; 0 if it has ended. */
  double cpuSeconds() {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .map(time -> time.toNanos() / 1e9)
        .orElse(0.0);
  }

  /** Available memory of the machine in MiB. */
  static double availableMib() throws IOException {
    return kib(Files.readAllLines(Path.of("/proc/meminfo")), "MemAvailable:") / 1_024;
  }

  private static double kib(List<String> lines, String name) {
    for (String line : lines) {
      if (line.startsWith(name)) {
        return Double.parseDouble(line.substring(name.length()).strip().split(" ", -1)[0]);
      }
    }
    return 0;
  }

  /** Datagrams that the kernel has dropped at the sockets on a port since they were opened. */
  long kernelDrops(int port) {
    long drops = 0;
    for (String[] socket : sockets("udp")) {
      if (port(socket[1]) == port) {
        drops += Long.parseLong(socket[socket.length - 1]);
      }
    }
    return drops;
  }

  /** All TCP ports on which the process listens. */
  List<Listener> listeners() throws IOException {
    Set<String> own = new HashSet<>();
    try (Stream<Path> open = Files.list(directory.resolve("fd"))) {
      for (Path descriptor : (Iterable<Path>) open::iterator) {
        own.add(link(descriptor));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    List<Listener> listeners = new ArrayList<>();
    for (String[] socket : sockets("tcp")) {
      if (socket[3].equals(LISTENING) && own.contains("socket:[" + socket[9] + "]")) {
        boolean isOpen = LOOPBACK.stream().noneMatch(address(socket[1])::endsWith);
        listeners.add(new Listener(port(socket[1]), isOpen));
      }
    }
    return listeners;
  }

  private static String link(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /** Lines of the IPv4 and IPv6 tables, split into fields. */
  private List<String[]> sockets(String protocol) {
    List<String[]> sockets = new ArrayList<>();
    for (String table : List.of(protocol, protocol + "6")) {
      sockets.addAll(lines(directory.resolve("net").resolve(table)));
    }
    return sockets;
  }

  private static List<String[]> lines(Path table) {
    try (Stream<String> lines = Files.lines(table)) {
      return lines.skip(1).map(line -> line.strip().split("\\s+", -1)).toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of(); // the process has ended, or the machine has no IPv6
    }
  }

  private static String address(String local) {
    return local.substring(0, local.indexOf(':'));
  }

  private static int port(String local) {
    return Integer.parseInt(local.substring(local.indexOf(':') + 1), 16);
  }
}
