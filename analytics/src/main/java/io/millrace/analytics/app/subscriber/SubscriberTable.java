package io.millrace.analytics.app.subscriber;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.analytics.keyed.Hash;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.packet.GtpControl;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.packet.PacketRejects;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sessions of subscribers in GTP tunnels, and the owners of these tunnels, from control messages.
 *
 * <p>A request names the subscriber, the location and the tunnels of its sender; the response,
 * which has the same sequence number and may arrive first, names the tunnels of the responder. If
 * the response accepts the request, both belong to one session. Later messages identify the session
 * by the tunnel endpoint identifier (TEID) that their receiver assigned. A session whose start was
 * missed is known only by its tunnels and location.
 *
 * <p>A session belongs to the node that received the request to create it, and depends only on the
 * messages that this node sent and received. So messages can be keyed by node, each once for its
 * sender and once for its receiver.
 *
 * <p>Bounded: at the limit the least recently used session is evicted and counted; idle sessions
 * end. Requests and responses wait for each other at most {@value #REQUEST_TIMEOUT_SECONDS} s. A
 * session is deleted as a whole. Not thread-safe.
 */
public final class SubscriberTable {
  public static final int REQUEST_TIMEOUT_SECONDS = 60;
  private static final long REQUEST_TIMEOUT_MICROS = REQUEST_TIMEOUT_SECONDS * 1_000_000L;
  private static final int MAX_WAITING = 1 << 14;
  private static final int MAX_ENDPOINTS = 64;

  // Record types in snapshots.
  private static final int SESSION = 1;
  private static final int REQUEST = 2;
  private static final int RESPONSE = 3;
  private static final GtpControl.Kind[] KINDS = GtpControl.Kind.values();

  /** Receiver of tunnel owners. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Sets the owner of an endpoint from a time on.
     *
     * @param teid tunnel endpoint identifier (TEID)
     * @param high upper half of the endpoint's address
     * @param low lower half
     * @param subscriber null if there is no owner
     */
    void setOwner(long teid, long high, long low, long sinceMicros, Subscriber subscriber);
  }

  private record Node(long high, long low) {
    int hash() {
      return Hash.of(high, low);
    }
  }

  /** Tunnel endpoint; control tunnels have their own TEIDs. */
  private record Endpoint(boolean isControl, long teid, long high, long low) {}

  private record KnownEndpoint(Node node, Endpoint endpoint) {}

  /** Key of a request: sender, receiver and sequence number, and the node that waits here. */
  private record RequestKey(Node from, Node to, int sequence, boolean isForSender) {
    Node node() {
      return isForSender ? from : to;
    }
  }

  private record Request(
      GtpControl.Kind kind,
      long timeMicros,
      Subscriber subscriber,
      Endpoint session,
      List<Endpoint> endpoints) {}

  private record Response(long timeMicros, Endpoint session, List<Endpoint> endpoints) {}

  private static final class Session {
    final Node node;
    final List<Endpoint> endpoints = new ArrayList<>();
    Subscriber subscriber = Subscriber.UNKNOWN;
    long lastMicros = Long.MIN_VALUE;

    Session(Node node) {
      this.node = node;
    }
  }

  private final SubscriberNames names;
  private final int maxSessions;
  private final long idleMicros;
  private final Listener listener;
  private final PacketRejects rejects;
  private final GtpControl message = new GtpControl();
  private final LinkedHashMap<RequestKey, Request> waiting = new LinkedHashMap<>();
  private final LinkedHashMap<RequestKey, Response> early = new LinkedHashMap<>();
  private final LinkedHashMap<Session, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<KnownEndpoint, Session> byEndpoint = new HashMap<>();
  private long evicted;
  private boolean isUnordered;

  /**
   * Creates an empty table.
   *
   * @param maxSessions at least 1
   * @param idleMicros idle timeout of a session
   * @param rejects counts truncated or invalid messages, at their senders
   */
  public SubscriberTable(
      SubscriberNames names,
      int maxSessions,
      long idleMicros,
      Listener listener,
      PacketRejects rejects) {
    this.names = names;
    this.maxSessions = maxSessions;
    this.idleMicros = idleMicros;
    this.listener = listener;
    this.rejects = rejects;
  }

  /**
   * Processes a control-plane packet.
   *
   * @param isForSender whether to process it for its sender rather than its receiver
   */
  public void learn(boolean isForSender, Packet packet) {
    if (isUnordered) {
      order();
    }
    expire(packet.timeMicros);
    Node from = new Node(packet.sourceHigh, packet.sourceLow);
    Node to = new Node(packet.destinationHigh, packet.destinationLow);
    int at = packet.payload < packet.end ? packet.payload : -1; // a fragment has no payload
    while (at >= 0) {
      boolean isRead = message.read(packet.buffer, at, packet.end);
      if (message.isBroken() && isForSender) {
        rejects.add(PacketReject.BAD_CONTROL_MESSAGE);
      }
      at = message.next();
      if (!isRead) {
        continue;
      }
      Endpoint session = new Endpoint(true, message.tunnelId(), to.high(), to.low());
      switch (message.kind()) {
        case CREATE_REQUEST, UPDATE_REQUEST, DELETE_REQUEST ->
            addRequest(
                new RequestKey(from, to, message.sequence(), isForSender),
                new Request(
                    message.kind(),
                    packet.timeMicros,
                    new Subscriber(names.of(message), message.area(), message.cell()),
                    session,
                    endpoints()));
        default -> {
          if (message.isAccepted()) {
            addResponse(
                new RequestKey(to, from, message.sequence(), !isForSender),
                new Response(packet.timeMicros, session, endpoints()));
          } else {
            waiting.remove(new RequestKey(to, from, message.sequence(), !isForSender));
          }
        }
      }
    }
  }

  private void addRequest(RequestKey key, Request request) {
    waiting.remove(key);
    Response response = early.remove(key);
    if (response != null && response.timeMicros >= request.timeMicros) {
      complete(key, request, response);
    } else {
      waiting.put(key, request);
    }
  }

  private void addResponse(RequestKey key, Response response) {
    Request request = waiting.remove(key);
    if (request == null) {
      early.remove(key);
      early.put(key, response);
    } else {
      complete(key, request, response);
    }
  }

  private List<Endpoint> endpoints() {
    List<Endpoint> endpoints = new ArrayList<>();
    if (message.controlId() > 0) {
      endpoints.add(
          new Endpoint(true, message.controlId(), message.controlHigh(), message.controlLow()));
    }
    for (int i = 0; i < message.tunnels(); i++) {
      endpoints.add(
          new Endpoint(false, message.tunnelId(i), message.addressHigh(i), message.addressLow(i)));
    }
    return endpoints;
  }

  private void complete(RequestKey key, Request request, Response response) {
    Node node = key.node();
    Session session = byEndpoint.get(new KnownEndpoint(node, request.session()));
    if (session == null) {
      session = byEndpoint.get(new KnownEndpoint(node, response.session()));
    }
    if (session == null && key.isForSender()) {
      return; // the session belongs to the other node
    }
    long micros = response.timeMicros();
    if (request.kind() == GtpControl.Kind.DELETE_REQUEST) {
      if (session != null) {
        remove(session, micros);
      }
      return;
    }
    if (session == null) {
      session = begin(node, micros);
    }
    Subscriber before = session.subscriber;
    session.subscriber =
        micros >= session.lastMicros
            ? before.with(request.subscriber())
            : request.subscriber().with(before);
    if (!session.subscriber.equals(before)) {
      setOwners(session, micros, session.subscriber);
    }
    List<Endpoint> endpoints = new ArrayList<>(request.endpoints());
    endpoints.add(request.session());
    endpoints.add(response.session());
    endpoints.addAll(response.endpoints());
    for (Endpoint endpoint : endpoints) {
      if (endpoint.teid() > 0) {
        bind(endpoint, session, micros);
      }
    }
    touch(session, micros);
  }

  private Session begin(Node node, long micros) {
    if (sessions.size() >= maxSessions) {
      remove(sessions.keySet().iterator().next(), micros);
      evicted++;
    }
    Session session = new Session(node);
    sessions.put(session, session);
    return session;
  }

  private void bind(Endpoint endpoint, Session session, long micros) {
    KnownEndpoint known = new KnownEndpoint(session.node, endpoint);
    Session before = byEndpoint.put(known, session);
    if (before != null) {
      before.endpoints.remove(endpoint); // added again below, as the newest
    }
    if (session.endpoints.size() == MAX_ENDPOINTS) {
      Endpoint oldest = session.endpoints.remove(0);
      byEndpoint.remove(new KnownEndpoint(session.node, oldest));
      setOwner(oldest, micros, null);
    }
    session.endpoints.add(endpoint);
    if (before != session) {
      setOwner(endpoint, micros, session.subscriber);
    }
  }

  private void setOwner(Endpoint endpoint, long micros, Subscriber subscriber) {
    if (!endpoint.isControl()) {
      listener.setOwner(endpoint.teid(), endpoint.high(), endpoint.low(), micros, subscriber);
    }
  }

  private void setOwners(Session session, long micros, Subscriber subscriber) {
    session.endpoints.forEach(endpoint -> setOwner(endpoint, micros, subscriber));
  }

  private void order() {
    List<Session> ordered = new ArrayList<>(sessions.keySet());
    ordered.sort(Comparator.comparingLong(session -> session.lastMicros));
    sessions.clear();
    ordered.forEach(session -> sessions.put(session, session));
    isUnordered = false;
  }

  private void touch(Session session, long timeMicros) {
    session.lastMicros = Math.max(session.lastMicros, timeMicros);
    var unused = sessions.get(session); // marks it as most recently used
  }

  private void remove(Session session, long micros) {
    session.endpoints.forEach(
        endpoint -> byEndpoint.remove(new KnownEndpoint(session.node, endpoint)));
    sessions.remove(session);
    setOwners(session, micros, null);
  }

  private void expire(long nowMicros) {
    Iterator<Request> oldestRequest = waiting.values().iterator();
    while (oldestRequest.hasNext()
        && (oldestRequest.next().timeMicros() < nowMicros - REQUEST_TIMEOUT_MICROS
            || waiting.size() >= MAX_WAITING)) {
      oldestRequest.remove();
    }
    Iterator<Response> oldestResponse = early.values().iterator();
    while (oldestResponse.hasNext()
        && (oldestResponse.next().timeMicros() < nowMicros - REQUEST_TIMEOUT_MICROS
            || early.size() >= MAX_WAITING)) {
      oldestResponse.remove();
    }
    while (!sessions.isEmpty()) {
      Session oldest = sessions.keySet().iterator().next();
      if (oldest.lastMicros >= nowMicros - idleMicros) {
        return;
      }
      remove(oldest, nowMicros);
    }
  }

  /** Number of sessions. */
  public int size() {
    return sessions.size();
  }

  /** Number of unmatched requests and responses. */
  public int waiting() {
    return waiting.size() + early.size();
  }

  /** Number of evicted sessions. */
  public long evicted() {
    return evicted;
  }

  /** Writes the table by the key groups of the nodes. */
  public void write(KeyGroups groups, StateByGroup out) {
    for (Session session : sessions.keySet()) {
      BlockBuffer group = out.group(groups.groupOf(session.node.hash()));
      group.putByte(SESSION);
      write(session.node, group);
      group.putLong(session.lastMicros);
      session.subscriber.write(group);
      write(session.endpoints, group);
    }
    waiting.forEach(
        (key, request) -> {
          BlockBuffer group = out.group(groups.groupOf(key.node().hash()));
          group.putByte(REQUEST);
          write(key, group);
          group.putByte(request.kind().ordinal());
          group.putLong(request.timeMicros());
          request.subscriber().write(group);
          write(List.of(request.session()), group);
          write(request.endpoints(), group);
        });
    early.forEach(
        (key, response) -> {
          BlockBuffer group = out.group(groups.groupOf(key.node().hash()));
          group.putByte(RESPONSE);
          write(key, group);
          group.putLong(response.timeMicros());
          write(List.of(response.session()), group);
          write(response.endpoints(), group);
        });
  }

  private static void write(Node node, BlockBuffer out) {
    out.putLong(node.high());
    out.putLong(node.low());
  }

  private static Node node(BlockInput in) {
    return new Node(in.takeLong(), in.takeLong());
  }

  private static void write(RequestKey key, BlockBuffer out) {
    write(key.from(), out);
    write(key.to(), out);
    out.putInt(key.sequence());
    out.putByte(key.isForSender() ? 1 : 0);
  }

  private static RequestKey key(BlockInput in) {
    return new RequestKey(node(in), node(in), in.takeInt(), in.takeByte() != 0);
  }

  private static void write(List<Endpoint> endpoints, BlockBuffer out) {
    out.putShort(endpoints.size());
    for (Endpoint endpoint : endpoints) {
      out.putByte(endpoint.isControl() ? 1 : 0);
      out.putLong(endpoint.teid());
      out.putLong(endpoint.high());
      out.putLong(endpoint.low());
    }
  }

  private static List<Endpoint> endpoints(BlockInput in) {
    int count = in.takeShort();
    List<Endpoint> endpoints = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      endpoints.add(new Endpoint(in.takeByte() != 0, in.takeLong(), in.takeLong(), in.takeLong()));
    }
    return endpoints;
  }

  /** Adds the bytes of {@link #write} for a group; groups may come in any order. */
  public void restore(BlockInput in) {
    isUnordered = true;
    while (in.remaining() > 0) {
      int mark = in.takeByte();
      if (mark == SESSION) {
        Session session = new Session(node(in));
        session.lastMicros = in.takeLong();
        session.subscriber = Subscriber.read(in);
        session.endpoints.addAll(endpoints(in));
        session.endpoints.forEach(
            endpoint -> byEndpoint.put(new KnownEndpoint(session.node, endpoint), session));
        sessions.put(session, session);
        continue;
      }
      RequestKey key = key(in);
      if (mark == REQUEST) {
        GtpControl.Kind kind = KINDS[in.takeByte()];
        waiting.put(
            key,
            new Request(
                kind, in.takeLong(), Subscriber.read(in), endpoints(in).get(0), endpoints(in)));
      } else {
        early.put(key, new Response(in.takeLong(), endpoints(in).get(0), endpoints(in)));
      }
    }
  }
}
