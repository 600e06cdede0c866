package io.millrace.traffic.model;

/**
 * An application of conversations: protocol, server port, share of sampled packets, and packet
 * sizes in both directions.
 *
 * <p>Lengths have the three modes seen at exchanges: bare acknowledgements of 40 to 64 bytes,
 * packets around 576, and full ones of up to 1500; the rest are distributed in between.
 */
final class Application {
  static final Application HTTPS =
      new Application(6, 443, 0.50, 0.62, profile(0.10, 0.07, 0.80), profile(0.80, 0.12, 0.05));
  static final Application QUIC =
      new Application(17, 443, 0.21, 0.70, profile(0.06, 0.05, 0.86), profile(0.80, 0.10, 0.06));
  static final Application HTTP =
      new Application(6, 80, 0.09, 0.64, profile(0.10, 0.07, 0.80), profile(0.84, 0.10, 0.04));
  static final Application DNS =
      new Application(17, 53, 0.03, 0.50, profile(0.10, 0.10, 0.05), profile(0.95, 0.00, 0.00));
  static final Application NTP = new Application(17, 123, 0.01, 0.50, 76);
  static final Application SSH =
      new Application(6, 22, 0.01, 0.50, profile(0.45, 0.15, 0.30), profile(0.70, 0.10, 0.10));
  static final Application SMTP =
      new Application(6, 25, 0.01, 0.40, profile(0.80, 0.10, 0.02), profile(0.30, 0.15, 0.50));
  static final Application IMAPS =
      new Application(6, 993, 0.01, 0.60, profile(0.30, 0.15, 0.50), profile(0.80, 0.10, 0.05));

  static final Application PEER_TCP =
      new Application(6, 0, 0.06, 0.55, profile(0.25, 0.08, 0.62), profile(0.70, 0.08, 0.18));

  static final Application PEER_UDP =
      new Application(17, 0, 0.06, 0.50, profile(0.20, 0.15, 0.45), profile(0.20, 0.15, 0.45));

  static final Application PING = new Application(1, 0, 0.01, 0.50, 84);

  private record Profile(double small, double medium, double large) {}

  private static Profile profile(double small, double medium, double large) {
    return new Profile(small, small + medium, small + medium + large);
  }

  private static final Application[] ALL = {
    HTTPS, QUIC, HTTP, DNS, NTP, SSH, SMTP, IMAPS, PEER_TCP, PEER_UDP, PING
  };
  private static final int V6_EXTRA = 20; // difference of the IP headers

  final int protocol;

  /** Port of the server; 0 if it is drawn for each conversation. */
  final int serverPort;

  final double downShare;

  private final double weight;
  private final Profile down;
  private final Profile up;
  private final int fixedLength;

  private Application(
      int protocol, int serverPort, double weight, double downShare, Profile down, Profile up) {
    this(protocol, serverPort, weight, downShare, down, up, 0);
  }

  private Application(
      int protocol, int serverPort, double weight, double downShare, int fixedLength) {
    this(
        protocol,
        serverPort,
        weight,
        downShare,
        new Profile(0, 0, 0),
        new Profile(0, 0, 0),
        fixedLength);
  }

  private Application(
      int protocol,
      int serverPort,
      double weight,
      double downShare,
      Profile down,
      Profile up,
      int fixedLength) {
    this.protocol = protocol;
    this.serverPort = serverPort;
    this.weight = weight;
    this.downShare = downShare;
    this.down = down;
    this.up = up;
    this.fixedLength = fixedLength;
  }

  static Application of(int drawn) {
    return ALL[drawn];
  }

  static AliasTable byWeight() {
    double[] weights = new double[ALL.length];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = ALL[i].weight;
    }
    return new AliasTable(weights);
  }

  int drawLength(SplitMix random, boolean towardsClient, boolean v6) {
    int extra = v6 ? V6_EXTRA : 0;
    if (fixedLength != 0) {
      return fixedLength + extra;
    }
    Profile profile = towardsClient ? down : up;
    double at = random.unit();
    if (at < profile.small) {
      return smallLength(random) + extra;
    }
    if (at < profile.medium) {
      return random.between(556, 596);
    }
    if (at < profile.large) {
      return this == QUIC ? fullQuicLength(random) : fullLength(random);
    }
    return random.between(65, 1400) + extra;
  }

  private int smallLength(SplitMix random) {
    if (protocol != 6) {
      return random.between(44, 64);
    }
    // No options, timestamps, or a SACK block; sometimes a few bytes of data.
    int i = random.below(16);
    return i < 6 ? 40 : i < 12 ? 52 : i < 14 ? 64 : random.between(41, 63);
  }

  private static int fullLength(SplitMix random) {
    int i = random.below(16);
    return i < 13 ? 1500 : i == 13 ? 1492 : i == 14 ? 1452 : random.between(1400, 1500);
  }

  private static int fullQuicLength(SplitMix random) {
    int i = random.below(8);
    return i < 4 ? 1278 : i < 6 ? 1378 : random.between(1228, 1480);
  }
}
