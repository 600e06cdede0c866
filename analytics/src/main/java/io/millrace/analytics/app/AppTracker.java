package io.millrace.analytics.app;

import io.millrace.analytics.app.subscriber.Subscriber;
import io.millrace.analytics.app.subscriber.SubscriberConfig;
import io.millrace.analytics.app.subscriber.SubscriberTable;
import io.millrace.analytics.app.subscriber.TunnelOwners;
import io.millrace.analytics.flowtable.Flow;
import io.millrace.analytics.flowtable.FlowTable;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.analytics.flowtable.HeadMemory;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.analytics.flowtable.StreamHead;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.packet.GtpControl;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketRejects;
import io.millrace.wire.packet.Tunnel;
import io.millrace.wire.pcap.IpPackets;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Tracker of flows and their applications, from packets. All state is bounded by its configuration;
 * input is untrusted. Not thread-safe.
 */
public final class AppTracker implements AutoCloseable {
  private final IpPackets ip;
  private final Packet packet = new Packet();
  private final Payload stream = new Payload();
  private final Payload segment = new Payload();
  private final FlowTableConfig config;
  private final FlowTable<AppFlow> table;
  private final HeadMemory memory;
  private final Classifier classifier;
  private final SubscriberTable subscribers; // null if subscribers are joined downstream
  private final TunnelOwners owners;
  private final Consumer<AppFlow> counted;
  private long packets;

  /** A tracker with the built-in classifier. */
  public AppTracker(FlowTableConfig config, IpLayer layer, AppNames names, Consumer<AppFlow> over) {
    this(config, layer, ClassifierKind.BUILT_IN, names, over);
  }

  /**
   * Creates a tracker that learns subscribers from the control messages among the packets.
   *
   * @param layer IP layer of the flows for packets in tunnels
   * @param names of hosts, for the built-in classifier
   * @param over receives each finished flow and each part of a long one; must not keep it
   * @throws IllegalArgumentException if the classifier is not installed; the message says what to
   *     install
   */
  public AppTracker(
      FlowTableConfig config,
      IpLayer layer,
      ClassifierKind kind,
      AppNames names,
      Consumer<AppFlow> over) {
    this(
        config,
        layer,
        kind.open(names),
        Optional.of(SubscriberConfig.defaults()),
        flow -> {},
        over);
  }

  /** {@code subscribers} is empty if flows have none; {@code counted} receives decided flows. */
  AppTracker(
      FlowTableConfig config,
      IpLayer layer,
      Classifier classifier,
      Optional<SubscriberConfig> subscribers,
      Consumer<AppFlow> counted,
      Consumer<AppFlow> over) {
    owners = subscribers.map(SubscriberConfig::owners).orElse(null);
    ip = new IpPackets(layer);
    this.subscribers = subscribers.map(kept -> kept.table(owners, ip.rejects())).orElse(null);
    this.counted = counted;
    this.config = config;
    this.classifier = classifier;
    memory = new HeadMemory(config.headMemoryBytes());
    table = new FlowTable<>(config, AppFlow::new, flow -> finish(flow, over));
  }

  private void finish(AppFlow flow, Consumer<AppFlow> over) {
    if (!flow.isDecided()) {
      classifier.guess(flow);
      flow.decide();
    }
    over.accept(flow);
  }

  /** Processes a packet that may be longer on the wire than captured. */
  public void packet(long timeMicros, LinkType link, byte[] bytes, int offset, int length) {
    packet(timeMicros, link, bytes, offset, length, Long.MAX_VALUE);
  }

  /**
   * Processes a captured packet.
   *
   * @param timeMicros capture time, microseconds since the epoch
   * @param link link type
   * @param bytes holds it; not kept
   * @param offset where it starts
   * @param length number of captured bytes
   * @param wireLength length on the wire in bytes
   */
  public void packet(
      long timeMicros, LinkType link, byte[] bytes, int offset, int length, long wireLength) {
    packets++;
    if (ip.read(timeMicros, link, bytes, offset, length, wireLength) != IpPackets.Outcome.READ) {
      return; // rejected and counted, or a fragment that waits for others
    }
    if (packet.wrap(ip, timeMicros)) {
      add();
    } else {
      ip.rejects().add(packet.reject);
    }
  }

  private void add() {
    if (subscribers != null
        && GtpControl.isControl(packet.protocol, packet.sourcePort, packet.destinationPort)) {
      subscribers.learn(true, packet);
      subscribers.learn(false, packet);
    }
    AppFlow flow = table.add(packet);
    if (ip.tunnel() == Tunnel.GTP_U) {
      flow.setTunnel(ip.tunnelId(), ip.tunnelHigh(), ip.tunnelLow());
      if (owners != null && flow.subscriber().equals(Subscriber.UNKNOWN)) {
        find(flow);
      }
    }
    if (!flow.isDecided()) {
      classify(flow);
    }
    if (flow.isDecided()) {
      counted.accept(flow);
    }
  }

  private void find(AppFlow flow) {
    long now = packet.timeMicros;
    Subscriber found = owners.find(ip.tunnelId(), ip.tunnelHigh(), ip.tunnelLow(), now, now);
    if (found != null) {
      flow.setSubscriber(found);
    }
  }

  private void classify(AppFlow flow) {
    if (classifier.takesPackets()) {
      classifier.classifyPacket(flow, packet);
    } else if (packet.isTcp()) {
      segment(flow);
    } else {
      describe();
      segment.wrap(packet.buffer, packet.payload, packet.end);
      stream.wrap(packet.buffer, packet.payload, packet.end);
      classifier.classify(flow, packet, stream, segment);
      if (flow.isDecided()) {
        flow.decide();
      }
    }
  }

  private void segment(AppFlow flow) {
    if (packet.payload == packet.end) {
      return;
    }
    describe();
    segment.wrap(packet.buffer, packet.payload, packet.end);
    StreamHead head = packet.fromClient ? flow.clientHead : flow.serverHead;
    int sequence = packet.payloadSequence();
    if (head == null && isEarly(sequence)) {
      head = head(flow);
      head.begin((int) packet.expectedSequence);
    }
    boolean isFirst = head == null || head.isWhole(sequence);
    if (isFirst) {
      // Most flows are identified by their first bytes, which then need not be copied.
      stream.wrap(packet.buffer, packet.payload, packet.end);
      classifier.classify(flow, packet, stream, segment);
      if (!flow.isDecided()) {
        head = head == null ? head(flow) : head;
        head.add(sequence, packet.buffer, packet.payload, packet.end);
        if (head.length() > packet.end - packet.payload) {
          stream.wrap(head.bytes(), 0, head.length());
          classifier.classify(flow, packet, stream, segment);
        }
      }
    } else {
      int fresh = head.add(sequence, packet.buffer, packet.payload, packet.end);
      if (fresh > 0) {
        stream.wrap(head.bytes(), 0, head.length());
        classifier.classify(flow, packet, stream, segment);
      } else if (head.isFull()) {
        stream.wrap(packet.buffer, packet.payload, packet.end);
        classifier.classify(flow, packet, stream, segment);
      }
    }
    if (flow.isDecided()) {
      flow.decide();
    }
  }

  private boolean isEarly(int sequence) {
    int gap = sequence - (int) packet.expectedSequence;
    return packet.expectedSequence != Flow.UNKNOWN && gap > 0 && gap <= config.headBytes();
  }

  private StreamHead head(AppFlow flow) {
    StreamHead head = new StreamHead(config.headBytes(), memory);
    if (packet.fromClient) {
      flow.clientHead = head;
    } else {
      flow.serverHead = head;
    }
    return head;
  }

  private void describe() {
    stream.fromClient = packet.fromClient;
    stream.isTcp = packet.isTcp();
    stream.sourcePort = packet.sourcePort;
    stream.destinationPort = packet.destinationPort;
    stream.timeMicros = packet.timeMicros;
    segment.of(stream);
  }

  void forEach(Consumer<AppFlow> each) {
    table.forEach(each);
  }

  AppFlow restore(BlockInput in) {
    AppFlow flow = new AppFlow();
    flow.read(in, config.headBytes(), memory);
    table.restore(flow);
    return flow;
  }

  /** Advances time: idle flows end. */
  public void advance(long micros) {
    table.advance(micros);
  }

  /** Ends all flows. */
  public void endAll() {
    table.endAll();
  }

  /** Releases the classifier's resources. */
  @Override
  public void close() {
    table.forEach(AppFlow::decide); // also releases the classifier's state
    classifier.close();
  }

  /** Number of packets. */
  public long packets() {
    return packets;
  }

  /** Counters of rejected packets. */
  public PacketRejects rejects() {
    return ip.rejects();
  }

  /** Number of flows so far. */
  public long flows() {
    return table.begun();
  }

  /** Number of open flows. */
  public int openFlows() {
    return table.size();
  }

  /** Number of flows evicted because the table was full; they were reported early. */
  public long evicted() {
    return table.evicted();
  }

  /** Number of flows whose first bytes were not kept because of the memory limit. */
  public long headsDropped() {
    return memory.dropped();
  }

  /** Bytes kept of undecided flows. */
  public long headBytes() {
    return memory.usedBytes();
  }
}
