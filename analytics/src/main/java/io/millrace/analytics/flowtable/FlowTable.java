package io.millrace.analytics.flowtable;

import io.millrace.wire.block.KeyHash;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Table of flows by their two endpoints, in either direction.
 *
 * <p>A flow ends at its idle timeout, and is reported in parts at the active timeout ({@link
 * FlowTableConfig}). Time advances by packets. The table is bounded: if it is full, a new flow
 * evicts another, which is counted and reported early. Connections with only a first packet are
 * evicted first, so that a flood of them does not evict established ones.
 *
 * <p>Uses chained hashing and three queues in order of the last packet, so that flows are moved and
 * removed in constant time. The hash is seeded per process, so that senders cannot choose endpoints
 * that collide. Not thread-safe.
 *
 * @param <F> type of flows
 */
public final class FlowTable<F extends Flow> {
  private static final int FIRST_CLIENT_PORT = 1024;

  private final FlowTableConfig config;
  private final Supplier<F> maker;
  private final Consumer<F> over;
  private final Flow[] buckets;
  private final FlowQueue beginning;
  private final FlowQueue idle;
  private final FlowQueue connected;
  private List<F> restored = new ArrayList<>();
  private int size;
  private long nowMicros = Long.MIN_VALUE;
  private long begun;
  private long evicted;

  /**
   * An empty table.
   *
   * @param maker creates an empty flow
   * @param over receives each finished flow and each part of a long one; must not keep it
   */
  public FlowTable(FlowTableConfig config, Supplier<F> maker, Consumer<F> over) {
    this.config = config;
    this.maker = maker;
    this.over = over;
    buckets = new Flow[Math.max(1024, 2 * Integer.highestOneBit(config.maxFlows()))];
    beginning = new FlowQueue(config.shortIdleMicros());
    idle = new FlowQueue(config.idleMicros());
    connected = new FlowQueue(config.tcpIdleMicros());
  }

  /**
   * Counts a packet for its flow, which is created if necessary, and sets the packet's direction.
   */
  public F add(Packet packet) {
    advance(packet.timeMicros);
    int hash = hash(packet);
    F flow = find(packet, hash);
    if (flow != null && isRestart(flow, packet)) {
      end(flow);
      flow = null;
    }
    if (flow == null) {
      flow = begin(packet, hash);
    } else if (packet.timeMicros - flow.firstMicros > config.activeMicros()) {
      over.accept(flow);
      flow.resetReport();
    }
    flow.count(packet);
    FlowQueue queue = queue(flow);
    if (flow.queue == null) {
      queue.add(flow);
    } else if (flow.queue != queue || !queue.isNewest(flow)) {
      flow.queue.remove(flow);
      queue.add(flow);
    }
    return flow;
  }

  @SuppressWarnings("unchecked") // all flows come from the maker
  private F find(Packet packet, int hash) {
    Flow flow = buckets[hash & buckets.length - 1];
    while (flow != null && !flow.matches(packet, hash)) {
      flow = flow.nextInBucket;
    }
    return (F) flow;
  }

  private static int hash(Packet packet) {
    return hash(
        end(packet.sourceHigh, packet.sourceLow, packet.sourcePort),
        end(packet.destinationHigh, packet.destinationLow, packet.destinationPort),
        packet.protocol);
  }

  private static long end(long high, long low, int port) {
    return KeyHash.with(KeyHash.of(high, low), port);
  }

  private static int hash(long oneEnd, long otherEnd, int protocol) {
    return (int) ((oneEnd + otherEnd + protocol) >>> 16);
  }

  private static boolean isRestart(Flow flow, Packet packet) {
    return flow.tcpState == Flow.TcpState.CLOSED
        && (packet.flags & (Packet.SYN | Packet.ACK)) == Packet.SYN;
  }

  /** Adds a flow, but not to a queue; reuses the evicted flow if the table is full. */
  private F begin(Packet packet, int hash) {
    F flow;
    if (size >= config.maxFlows()) {
      flow = evict();
      flow.clear();
    } else {
      flow = maker.get();
    }
    packet.fromClient = isFromClient(packet);
    flow.begin(packet, packet.fromClient, hash);
    put(flow);
    begun++;
    return flow;
  }

  private void put(Flow flow) {
    int bucket = flow.hash & buckets.length - 1;
    flow.nextInBucket = buckets[bucket];
    buckets[bucket] = flow;
    size++;
  }

  /** Iterates over all flows; those with the same timeout are in the order of their last packet. */
  @SuppressWarnings("unchecked") // as above
  public void forEach(Consumer<F> each) {
    queueRestored();
    for (FlowQueue queue : List.of(beginning, idle, connected)) {
      for (Flow flow = queue.oldest(); flow != null; flow = flow.newer) {
        each.accept((F) flow);
      }
    }
  }

  /**
   * Restores a flow from a checkpoint. Called in any order, before the first packet, which then
   * evicts the flows idle longest beyond the limit.
   */
  public void restore(F flow) {
    flow.hash =
        hash(
            end(flow.clientHigh, flow.clientLow, flow.clientPort),
            end(flow.serverHigh, flow.serverLow, flow.serverPort),
            flow.protocol);
    put(flow);
    restored.add(flow);
    begun++;
  }

  /**
   * Sorts restored flows into the queues at once, since inserting each in order would take
   * quadratic time.
   */
  private void queueRestored() {
    if (restored.isEmpty()) {
      return;
    }
    restored.sort(Comparator.comparingLong(Flow::lastMicros));
    for (F flow : restored) {
      queue(flow).add(flow);
    }
    restored = List.of();
    while (size > config.maxFlows()) {
      var unused = evict();
    }
  }

  private static boolean isFromClient(Packet packet) {
    if (packet.isTcp() && (packet.flags & Packet.SYN) != 0) {
      return (packet.flags & Packet.ACK) == 0;
    }
    return packet.sourcePort >= FIRST_CLIENT_PORT || packet.destinationPort < FIRST_CLIENT_PORT;
  }

  private FlowQueue queue(Flow flow) {
    return switch (flow.tcpState) {
      case SYN_SENT, SYN_RECEIVED, CLOSED -> beginning;
      case ESTABLISHED, CLOSING, MIDDLE ->
          flow.serverPackets > 0 && flow.clientPackets > 0 ? connected : idle;
      case NONE -> flow.serverPackets > 0 && flow.clientPackets > 0 ? connected : idle;
    };
  }

  @SuppressWarnings("unchecked") // as above
  private F evict() {
    FlowQueue from = beginning;
    if (from.oldest() == null) {
      from = idle.oldest() == null ? connected : idle;
    }
    F flow = (F) from.oldest();
    evicted++;
    end(flow);
    return flow;
  }

  /**
   * Advances time: idle flows end. Also called by {@link #add}; ignored if {@code micros} is
   * earlier.
   */
  public void advance(long micros) {
    queueRestored();
    if (micros <= nowMicros) {
      return;
    }
    nowMicros = micros;
    expire(beginning);
    expire(idle);
    expire(connected);
  }

  private void expire(FlowQueue queue) {
    Flow flow = queue.oldest();
    while (flow != null && nowMicros - flow.lastMicros > queue.idleMicros) {
      end(flow);
      flow = queue.oldest();
    }
  }

  /** Ends all flows. */
  public void endAll() {
    queueRestored();
    for (FlowQueue queue : List.of(beginning, idle, connected)) {
      while (queue.oldest() != null) {
        end(queue.oldest());
      }
    }
  }

  @SuppressWarnings("unchecked") // as above
  private void end(Flow flow) {
    remove(flow);
    over.accept((F) flow);
  }

  private void remove(Flow flow) {
    flow.queue.remove(flow);
    int bucket = flow.hash & buckets.length - 1;
    if (buckets[bucket] == flow) {
      buckets[bucket] = flow.nextInBucket;
    } else {
      Flow before = buckets[bucket];
      while (before.nextInBucket != flow) {
        before = before.nextInBucket;
      }
      before.nextInBucket = flow.nextInBucket;
    }
    flow.nextInBucket = null;
    size--;
  }

  /** Number of flows in the table. */
  public int size() {
    return size;
  }

  /** Number of flows so far. */
  public long begun() {
    return begun;
  }

  /** Number of flows evicted because the table was full. */
  public long evicted() {
    return evicted;
  }
}
