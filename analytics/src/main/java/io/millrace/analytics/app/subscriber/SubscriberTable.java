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
 * Sessions of subscribers in GTP tunnels, and the owners of the tunnels, learned from control
 * messages.
 *
 * <p>A request names the subscriber, the location and the tunnels of the sender; its response,
 * which has the same sequence number and may be seen first, names the tunnels of the responder. If
 * the response accepts, all of them belong to one session. Later messages identify the session by
 * the id that their receiver assigned. A session whose start was missed is known only by its
 * tunnels and location.
 *
 * <p>A session belongs to the node that was requested to create it, and depends only on the
 * messages that this node sent and received. So messages can be keyed by node, if each is processed
 * for both of its nodes.
 *
 * <p>Bounded: at the limit the least recently used session is evicted and counted; idle sessions
 * end. Requests and responses wait for each other at most {@value #PATIENCE_SECONDS} s. A session
 * is deleted as a whole. Not thread-safe.
 */
public final class SubscriberTable {
  public static final int PATIENCE_SECONDS = 60;
  private static final long PATIENCE_MICROS = PATIENCE_SECONDS * 1_000_000L;
  private static final int MAX_WAITING = 1 << 14;
  private static final int MAX_ENDS = 64;

  // Marker bytes in the state.
  private static final int SESSION = 1;
  private static final int QUESTION = 2;
  private static final int ANSWER = 3;
  private static final GtpControl.Kind[] KINDS = GtpControl.Kind.values();

  /** Receiver of tunnel owners. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Sets the owner of an endpoint from a time on.
     *
     * @param id number of the tunnel at its end
     * @param high address of the end, upper half
     * @param subscriber null if there is no owner
     */
    void setOwner(long id, long high, long low, long sinceMicros, Subscriber subscriber);
  }

  private record Node(long high, long low) {
    int hash() {
      return Hash.of(high, low);
    }
  }

  /** Tunnel endpoint; control tunnels have separate ids. */
  private record End(boolean isControl, long id, long high, long low) {}

  private record KnownEnd(Node node, End end) {}

  /**
   * Request by sender, receiver and sequence number, and whether it is processed for its sender.
   */
  private record RequestKey(Node from, Node to, int sequence, boolean isSenders) {
    Node node() {
      return isSenders ? from : to;
    }
  }

  private record Request(
      GtpControl.Kind kind, long timeMicros, Subscriber subscriber, End session, List<End> ends) {}

  private record Response(long timeMicros, End session, List<End> ends) {}

  private static final class Session {
    final Node node;
    final List<End> ends = new ArrayList<>();
    Subscriber subscriber = Subscriber.UNKNOWN;
    long lastMicros = Long.MIN_VALUE;

    Session(Node node) {
      this.node = node;
    }
  }

  private final SubscriberNames names;
  private final int mostSessions;
  private final long idleMicros;
  private final Listener listener;
  private final PacketRejects rejects;
  private final GtpControl message = new GtpControl();
  private final LinkedHashMap<RequestKey, Request> waiting = new LinkedHashMap<>();
  private final LinkedHashMap<RequestKey, Response> early = new LinkedHashMap<>();
  private final LinkedHashMap<Session, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<KnownEnd, Session> byEnd = new HashMap<>();
  private long evicted;
  private boolean isUnordered;

  /**
   * An empty table.
   *
   * @param mostSessions at least 1
   * @param idleMicros idle timeout of a session
   * @param rejects counts truncated or invalid messages, at their senders
   */
  public SubscriberTable(
      SubscriberNames names,
      int mostSessions,
      long idleMicros,
      Listener listener,
      PacketRejects rejects) {
    this.names = names;
    this.mostSessions = mostSessions;
    this.idleMicros = idleMicros;
    this.listener = listener;
    this.rejects = rejects;
  }

  /**
   * Processes a control-plane packet.
   *
   * @param isSenders whether it is processed for its sender instead of its receiver
   */
  public void learn(boolean isSenders, Packet packet) {
    if (isUnordered) {
      order();
    }
    expire(packet.timeMicros);
    Node from = new Node(packet.sourceHigh, packet.sourceLow);
    Node to = new Node(packet.destinationHigh, packet.destinationLow);
    int at = packet.payload < packet.end ? packet.payload : -1; // a fragment has no payload
    while (at >= 0) {
      boolean isRead = message.read(packet.buffer, at, packet.end);
      if (message.isBroken() && isSenders) {
        rejects.add(PacketReject.BAD_CONTROL_MESSAGE);
      }
      at = message.next();
      if (!isRead) {
        continue;
      }
      End session = new End(true, message.tunnelId(), to.high(), to.low());
      switch (message.kind()) {
        case CREATE_REQUEST, UPDATE_REQUEST, DELETE_REQUEST ->
            addRequest(
                new RequestKey(from, to, message.sequence(), isSenders),
                new Request(
                    message.kind(),
                    packet.timeMicros,
                    new Subscriber(names.of(message), message.area(), message.cell()),
                    session,
                    ends()));
        default -> {
          if (message.isAccepted()) {
            addResponse(
                new RequestKey(to, from, message.sequence(), !isSenders),
                new Response(packet.timeMicros, session, ends()));
          } else {
            waiting.remove(new RequestKey(to, from, message.sequence(), !isSenders));
          }
        }
      }
    }
  }

  private void addRequest(RequestKey key, Request request) {
    waiting.remove(key);
    Response response = early.remove(key);
    if (response != null && response.timeMicros >= request.timeMicros) {
      agree(key, request, response);
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
      agree(key, request, response);
    }
  }

  private List<End> ends() {
    List<End> ends = new ArrayList<>();
    if (message.controlId() > 0) {
      ends.add(new End(true, message.controlId(), message.controlHigh(), message.controlLow()));
    }
    for (int i = 0; i < message.tunnels(); i++) {
      ends.add(new End(false, message.tunnelId(i), message.addressHigh(i), message.addressLow(i)));
    }
    return ends;
  }

  private void agree(RequestKey key, Request request, Response response) {
    Node node = key.node();
    Session session = byEnd.get(new KnownEnd(node, request.session()));
    if (session == null) {
      session = byEnd.get(new KnownEnd(node, response.session()));
    }
    if (session == null && key.isSenders()) {
      return; // processed for the other node
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
    List<End> ends = new ArrayList<>(request.ends());
    ends.add(request.session());
    ends.add(response.session());
    ends.addAll(response.ends());
    for (End end : ends) {
      if (end.id() > 0) {
        bind(end, session, micros);
      }
    }
    touch(session, micros);
  }

  private Session begin(Node node, long micros) {
    if (sessions.size() >= mostSessions) {
      remove(sessions.keySet().iterator().next(), micros);
      evicted++;
    }
    Session session = new Session(node);
    sessions.put(session, session);
    return session;
  }

  private void bind(End end, Session session, long micros) {
    KnownEnd known = new KnownEnd(session.node, end);
    Session before = byEnd.put(known, session);
    if (before != null) {
      before.ends.remove(end); // keeps the newest endpoints of the session
    }
    if (session.ends.size() == MAX_ENDS) {
      End oldest = session.ends.remove(0);
      byEnd.remove(new KnownEnd(session.node, oldest));
      setOwner(oldest, micros, null);
    }
    session.ends.add(end);
    if (before != session) {
      setOwner(end, micros, session.subscriber);
    }
  }

  private void setOwner(End end, long micros, Subscriber subscriber) {
    if (!end.isControl()) {
      listener.setOwner(end.id(), end.high(), end.low(), micros, subscriber);
    }
  }

  private void setOwners(Session session, long micros, Subscriber subscriber) {
    session.ends.forEach(end -> setOwner(end, micros, subscriber));
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
    session.ends.forEach(end -> byEnd.remove(new KnownEnd(session.node, end)));
    sessions.remove(session);
    setOwners(session, micros, null);
  }

  private void expire(long nowMicros) {
    Iterator<Request> oldestRequest = waiting.values().iterator();
    while (oldestRequest.hasNext()
        && (oldestRequest.next().timeMicros() < nowMicros - PATIENCE_MICROS
            || waiting.size() >= MAX_WAITING)) {
      oldestRequest.remove();
    }
    Iterator<Response> oldestResponse = early.values().iterator();
    while (oldestResponse.hasNext()
        && (oldestResponse.next().timeMicros() < nowMicros - PATIENCE_MICROS
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
      write(session.ends, group);
    }
    waiting.forEach(
        (key, request) -> {
          BlockBuffer group = out.group(groups.groupOf(key.node().hash()));
          group.putByte(QUESTION);
          write(key, group);
          group.putByte(request.kind().ordinal());
          group.putLong(request.timeMicros());
          request.subscriber().write(group);
          write(List.of(request.session()), group);
          write(request.ends(), group);
        });
    early.forEach(
        (key, response) -> {
          BlockBuffer group = out.group(groups.groupOf(key.node().hash()));
          group.putByte(ANSWER);
          write(key, group);
          group.putLong(response.timeMicros());
          write(List.of(response.session()), group);
          write(response.ends(), group);
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
    out.putByte(key.isSenders() ? 1 : 0);
  }

  private static RequestKey key(BlockInput in) {
    return new RequestKey(node(in), node(in), in.takeInt(), in.takeByte() != 0);
  }

  private static void write(List<End> ends, BlockBuffer out) {
    out.putShort(ends.size());
    for (End end : ends) {
      out.putByte(end.isControl() ? 1 : 0);
      out.putLong(end.id());
      out.putLong(end.high());
      out.putLong(end.low());
    }
  }

  private static List<End> ends(BlockInput in) {
    int count = in.takeShort();
    List<End> ends = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ends.add(new End(in.takeByte() != 0, in.takeLong(), in.takeLong(), in.takeLong()));
    }
    return ends;
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
        session.ends.addAll(ends(in));
        session.ends.forEach(end -> byEnd.put(new KnownEnd(session.node, end), session));
        sessions.put(session, session);
        continue;
      }
      RequestKey key = key(in);
      if (mark == QUESTION) {
        GtpControl.Kind kind = KINDS[in.takeByte()];
        waiting.put(
            key, new Request(kind, in.takeLong(), Subscriber.read(in), ends(in).get(0), ends(in)));
      } else {
        early.put(key, new Response(in.takeLong(), ends(in).get(0), ends(in)));
      }
    }
  }
}
