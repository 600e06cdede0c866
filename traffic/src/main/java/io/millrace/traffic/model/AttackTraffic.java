package io.millrace.traffic.model;

import java.util.List;

/** Samples of the active attacks. Attacks are IPv4. Not thread-safe. */
final class AttackTraffic {
  private static final int[] SCANNED_PORTS = {22, 23, 80, 443, 445, 1433, 3389, 8080};
  private static final int OPEN_RESOLVERS = 2000;

  private final NetworkMix networks;
  private final Scene[] scenes;
  private Scene[] active = {};
  private final long[] address = new long[2];

  private static final class Scene {
    final Attack attack;
    int network;
    long high;
    long low;
    int port;

    Scene(Attack attack) {
      this.attack = attack;
    }
  }

  AttackTraffic(List<Attack> attacks, NetworkMix networks, SplitMix random) {
    this.networks = networks;
    scenes = attacks.stream().map(Scene::new).toArray(Scene[]::new);
    for (Scene scene : scenes) {
      scene.network = networks.drawClient(random, false);
      networks.drawClientHost(random, scene.network, false, address);
      scene.high = address[0];
      scene.low = address[1];
      scene.port = random.between(32_768, 65_535);
    }
  }

  void moveTo(long elapsedMicros) {
    int n = 0;
    Scene[] now = new Scene[scenes.length];
    for (Scene scene : scenes) {
      if (elapsedMicros >= scene.attack.startMicros() && elapsedMicros < scene.attack.endMicros()) {
        now[n++] = scene;
      }
    }
    active = java.util.Arrays.copyOf(now, n);
  }

  /** Produces the next sample of an attack, with the probability of its share. */
  boolean offer(SplitMix random, Packet out) {
    for (Scene scene : active) {
      if (random.chance(scene.attack.share())) {
        fill(scene, random, out);
        return true;
      }
    }
    return false;
  }

  private void fill(Scene scene, SplitMix random, Packet out) {
    out.v6 = false;
    out.tos = 0;
    out.tcpFlags = -1;
    out.hopLimit = random.between(40, 60);
    switch (scene.attack.kind()) {
      case UDP_FLOOD -> {
        int network = networks.drawClient(random, false);
        networks.drawClientHost(random, network, false, address);
        towards(scene, network, out);
        out.protocol = IpProtocol.UDP;
        out.srcPort = random.between(1024, 65_535);
        out.dstPort = random.between(1, 65_535);
        out.ipLength = random.between(1028, 1500);
      }
      case DNS_AMPLIFICATION -> {
        // The resolvers are a fixed set; the number determines network and host.
        SplitMix resolver = new SplitMix(scene.low + random.below(OPEN_RESOLVERS));
        int network = networks.drawClient(resolver, false);
        networks.drawClientHost(resolver, network, false, address);
        towards(scene, network, out);
        out.protocol = IpProtocol.UDP;
        out.srcPort = 53;
        out.dstPort = scene.port;
        out.ipLength = random.between(1200, 1500);
      }
      case SYN_SCAN -> {
        int network = networks.drawClient(random, false);
        networks.drawClientHost(random, network, false, address);
        out.srcNetwork = scene.network;
        out.srcHigh = scene.high;
        out.srcLow = scene.low;
        out.dstNetwork = network;
        out.dstHigh = address[0];
        out.dstLow = address[1];
        out.protocol = IpProtocol.TCP;
        out.srcPort = scene.port;
        out.dstPort = SCANNED_PORTS[random.below(SCANNED_PORTS.length)];
        out.tcpFlags = TcpFlags.SYN;
        out.ipLength = 40;
      }
    }
  }

  private void towards(Scene scene, int network, Packet out) {
    out.srcNetwork = network;
    out.srcHigh = address[0];
    out.srcLow = address[1];
    out.dstNetwork = scene.network;
    out.dstHigh = scene.high;
    out.dstLow = scene.low;
  }
}
