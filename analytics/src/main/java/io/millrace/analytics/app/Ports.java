package io.millrace.analytics.app;

import io.millrace.wire.packet.PacketLayout;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

final class Ports {
  private static final String RESOURCE = "ports.tsv";

  private final Map<Integer, String> tcp = new HashMap<>();
  private final Map<Integer, String> udp = new HashMap<>();

  static Ports builtIn() {
    return BuiltIn.ALL;
  }

  private static final class BuiltIn {
    static final Ports ALL = read();
  }

  private static Ports read() {
    Ports ports = new Ports();
    try (InputStream in = Ports.class.getResourceAsStream(RESOURCE);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank() && !line.startsWith("#")) {
          ports.add(line.strip().split("\\s+", -1));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ports;
  }

  private void add(String[] words) {
    for (int i = 2; i < words.length; i++) {
      int port = Integer.parseInt(words[i]);
      if (!words[1].equals("udp")) {
        tcp.putIfAbsent(port, words[0]);
      }
      if (!words[1].equals("tcp")) {
        udp.putIfAbsent(port, words[0]);
      }
    }
  }

  IntStream all() {
    return Stream.of(tcp, udp)
        .flatMap(known -> known.keySet().stream())
        .mapToInt(Integer::intValue);
  }

  /** Protocol by a flow's ports, trying the server's first; null if unknown. */
  String appProtocol(AppFlow flow) {
    Map<Integer, String> known = flow.protocol() == PacketLayout.TCP ? tcp : udp;
    String appProtocol = known.get(flow.serverPort());
    return appProtocol == null ? known.get(flow.clientPort()) : appProtocol;
  }

  static String ofIpProtocol(int protocol) {
    return switch (protocol) {
      case 1 -> "ICMP";
      case 2 -> "IGMP";
      case 4, 41 -> "IP_in_IP";
      case 8 -> "EGP";
      case 47 -> "GRE";
      case 50, 51 -> "IPSec";
      case 58 -> "ICMPV6";
      case 88 -> "EIGRP";
      case 89 -> "OSPF";
      case 103 -> "IP_PIM";
      case 112 -> "VRRP";
      case 113 -> "PGM";
      case 115 -> "L2TP";
      case 132 -> "SCTP";
      default -> null;
    };
  }
}
