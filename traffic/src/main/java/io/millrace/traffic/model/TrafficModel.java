package io.millrace.traffic.model;

/**
 * Model of the sampled packets of an exchange point's switches, in model time.
 *
 * <p>A sample belongs to an active attack, to one of a fixed number of long conversations
 * (elephants), or to a conversation with a single sample (a mouse). Elephants are drawn with
 * heavy-tailed weights and end after a heavy-tailed number of samples. Servers' networks and
 * clients' networks follow Zipf's law, and so do the servers within a network. Packets go in both
 * directions. Not thread-safe.
 */
public final class TrafficModel {
  private static final double ELEPHANT_EXPONENT = 0.6;
  private static final double LIFETIME_SHAPE = 1.2; // Pareto shape above 1, so the mean is finite
  private static final int MAX_LIFETIME = 100_000;
  private static final long RHYTHM_STEP_MICROS = 1_000_000;

  private final TrafficConfig config;
  private final SplitMix random;
  private final NetworkMix networks;
  private final AliasTable applications = Application.byWeight();
  private final AliasTable elephantWeights;
  private final Conversation[] elephants;
  private final Conversation mouse = new Conversation();
  private final AttackTraffic attacks;
  private final double v6Share;
  private final double mouseShare;
  private final long[] address = new long[2];

  private double elapsedMicros;
  private double microsPerSample;
  private long nextStepMicros;

  public TrafficModel(TrafficConfig config, AddressPool pool) {
    this.config = config;
    random = new SplitMix(config.seed());
    networks = new NetworkMix(pool, config.mix(), random);
    attacks = new AttackTraffic(config.attacks(), networks, random);
    v6Share = networks.hasV6() ? config.mix().v6Share() : 0;
    mouseShare = config.mix().mouseShare();
    elephantWeights = AliasTable.zipf(config.mix().elephants(), ELEPHANT_EXPONENT);
    elephants = new Conversation[config.mix().elephants()];
    for (int i = 0; i < elephants.length; i++) {
      elephants[i] = new Conversation();
      begin(elephants[i]);
    }
    step();
  }

  public NetworkMix networks() {
    return networks;
  }

  /** Model time of the last sample, microseconds since the epoch. */
  public long timeMicros() {
    return config.startMicros() + (long) elapsedMicros;
  }

  /** Produces the next sample. */
  public void next(Packet out) {
    elapsedMicros += microsPerSample;
    if (elapsedMicros >= nextStepMicros) {
      step();
    }
    if (attacks.offer(random, out)) {
      return;
    }
    Conversation talk;
    if (random.chance(mouseShare)) {
      talk = mouse;
      begin(talk);
    } else {
      talk = elephants[elephantWeights.draw(random)];
      if (talk.samplesLeft-- == 0) {
        begin(talk);
      }
    }
    say(talk, out);
  }

  /** Updates slow changes, once a second of model time. */
  private void step() {
    microsPerSample =
        1e6 / config.samplesPerSecond() / (config.rhythm() ? DayRhythm.factor(timeMicros()) : 1);
    attacks.moveTo((long) elapsedMicros);
    nextStepMicros = ((long) elapsedMicros / RHYTHM_STEP_MICROS + 1) * RHYTHM_STEP_MICROS;
  }

  private void begin(Conversation talk) {
    boolean v6 = random.chance(v6Share);
    talk.v6 = v6;
    talk.serverNetwork = networks.drawServer(random, v6);
    talk.clientNetwork = networks.drawClient(random, v6);
    for (int i = 0; i < 8 && talk.clientNetwork == talk.serverNetwork; i++) {
      talk.clientNetwork =
          networks.drawClient(random, v6); // traffic within a member does not cross the exchange
    }
    networks.drawServerHost(random, talk.serverNetwork, v6, address);
    talk.serverHigh = address[0];
    talk.serverLow = address[1];
    networks.drawClientHost(random, talk.clientNetwork, v6, address);
    talk.clientHigh = address[0];
    talk.clientLow = address[1];
    Application application = Application.of(applications.draw(random));
    talk.application = application;
    talk.serverPort =
        application.serverPort != 0 ? application.serverPort : random.between(1024, 65_535);
    talk.clientPort =
        application == Application.NTP && random.chance(0.5)
            ? application.serverPort
            : random.between(32_768, 65_535);
    long bits = random.next();
    talk.tos = (bits & 15) == 0 ? 0x28 : (bits & 15) == 1 ? 0xB8 : (bits & 15) == 2 ? 0x02 : 0;
    talk.clientHops = ((bits & 16) == 0 ? 64 : 128) - 4 - (int) (bits >>> 8 & 15);
    talk.serverHops = 64 - 3 - (int) (bits >>> 16 & 7);
    talk.samplesLeft =
        (int) Math.min(MAX_LIFETIME, 4 * StrictMath.pow(1 - random.unit(), -1 / LIFETIME_SHAPE));
  }

  private void say(Conversation talk, Packet out) {
    Application application = talk.application;
    boolean down = random.chance(application.downShare);
    out.v6 = talk.v6;
    out.tos = talk.tos;
    if (down) {
      out.srcNetwork = talk.serverNetwork;
      out.dstNetwork = talk.clientNetwork;
      out.srcHigh = talk.serverHigh;
      out.srcLow = talk.serverLow;
      out.dstHigh = talk.clientHigh;
      out.dstLow = talk.clientLow;
      out.srcPort = talk.serverPort;
      out.dstPort = talk.clientPort;
      out.hopLimit = talk.serverHops;
    } else {
      out.srcNetwork = talk.clientNetwork;
      out.dstNetwork = talk.serverNetwork;
      out.srcHigh = talk.clientHigh;
      out.srcLow = talk.clientLow;
      out.dstHigh = talk.serverHigh;
      out.dstLow = talk.serverLow;
      out.srcPort = talk.clientPort;
      out.dstPort = talk.serverPort;
      out.hopLimit = talk.clientHops;
    }
    int length = application.drawLength(random, down, talk.v6);
    out.ipLength = length;
    out.protocol = application.protocol;
    out.tcpFlags = -1;
    if (application.protocol == IpProtocol.TCP) {
      out.tcpFlags = drawFlags(length, down);
    } else if (application == Application.PING) {
      out.protocol = talk.v6 ? IpProtocol.ICMP_V6 : IpProtocol.ICMP;
      out.srcPort = talk.v6 ? (down ? 129 : 128) : (down ? 0 : 8);
      out.dstPort = 0;
    }
  }

  private int drawFlags(int length, boolean down) {
    int i = random.below(64);
    if (length > 84) {
      return i < 16 ? TcpFlags.PSH | TcpFlags.ACK : TcpFlags.ACK;
    }
    if (i < 4) {
      return down ? TcpFlags.SYN | TcpFlags.ACK : TcpFlags.SYN;
    }
    return i < 7 ? TcpFlags.FIN | TcpFlags.ACK : i < 8 ? TcpFlags.RST : TcpFlags.ACK;
  }
}
