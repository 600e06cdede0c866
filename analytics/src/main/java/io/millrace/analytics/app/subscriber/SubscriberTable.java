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
 * Sessions of subscribers in GTP tunnels and their tunnels' owners, from control messages.
 *
 * <p>A request names the subscriber, the location and the tunnels of the sender; its response,
 * which has the same sequence number and may arrive first, those of the responder. If the response
 * accepts, both belong to one session. Later messages identify the session by the id that their
 * receiver assigned. A session whose start was missed is known only by its tunnels and location.
 *
 * <p>A session belongs to one node, the one that was asked to create it, and depends only on the
 * messages that this node sent and received. So messages can be keyed by node, for both of theirs.
 *
 * <p>Bounded: at the limit the least recently used session is evicted and counted; idle sessions
 * end. Requests and responses wait for each other at most {@value #PATIENCE_SECONDS} s. A session
 * is deleted as a whole. Not thread-safe.
 */
public final class SubscriberTable {
  public static final int PATIENCE_SECONDS = 60;
  private static final long PATIENCE_MICROS = PATIENCE_SECONDS * 1_000_000L;
  private static final int MOST_WAITING = 1 << 14;
  private static final int MOST_ENDS = 64;

  // In state.
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
    void tell(long id, long high, long low, long sinceMicros, Subscriber subscriber);
  }

  private record Node(long high, long low) {
    int hash() {
      return Hash.of(high, low);
    }
  }

  /** Tunnel endpoint; control tunnels have separate ids. */
  private record End(boolean isControl, long id, long high, long low) {}

  private record KnownEnd(Node node, End end) {}

  /** Request by sender, receiver and number, and the node for which it waits here. */
  private record Question(Node from, Node to, int sequence, boolean isAskers) {
    Node node() {
      return isAskers ? from : to;
    }
  }

  private record Request(
      GtpControl.Kind kind, long timeMicros, Subscriber told, End session, List<End> ends) {}

  private record Answer(long timeMicros, End session, List<End> ends) {}

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
  private final LinkedHashMap<Question, Request> waiting = new LinkedHashMap<>();
  private final LinkedHashMap<Question, Answer> early = new LinkedHashMap<>();
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
   * @param isSenders whether for its sender rather than its receiver
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
            ask(
                new Question(from, to, message.sequence(), isSenders),
                new Request(
                    message.kind(),
                    packet.timeMicros,
                    new Subscriber(names.of(message), message.area(), message.cell()),
                    session,
                    ends()));
        default -> {
          if (message.isAccepted()) {
            answer(
                new Question(to, from, message.sequence(), !isSenders),
                new Answer(packet.timeMicros, session, ends()));
          } else {
            waiting.remove(new Question(to, from, message.sequence(), !isSenders));
          }
        }
      }
    }
  }

  private void ask(Question question, Request asked) {
    waiting.remove(question);
    Answer answered = early.remove(question);
    if (answered != null && answered.timeMicros >= asked.timeMicros) {
      agree(question, asked, answered);
    } else {
      waiting.put(question, asked);
    }
  }

  private void answer(Question question, Answer answered) {
    Request asked = waiting.remove(question);
    if (asked == null) {
      early.remove(question);
      early.put(question, answered);
    } else {
      agree(question, asked, answered);
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

  private void agree(Question question, Request asked, Answer answered) {
    Node node = question.node();
    Session session = byEnd.get(new KnownEnd(node, asked.session()));
    if (session == null) {
      session = byEnd.get(new KnownEnd(node, answered.session()));
    }
    if (session == null && question.isAskers()) {
      return; // the other node's
    }
    long micros = answered.timeMicros();
    if (asked.kind() == GtpControl.Kind.DELETE_REQUEST) {
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
        micros >= session.lastMicros ? before.with(asked.told()) : asked.told().with(before);
    if (!session.subscriber.equals(before)) {
      tellAll(session, micros, session.subscriber);
    }
    List<End> ends = new ArrayList<>(asked.ends());
    ends.add(asked.session());
    ends.add(answered.session());
    ends.addAll(answered.ends());
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
      before.ends.remove(end); // the newest of the same session stay
    }
    if (session.ends.size() == MOST_ENDS) {
      End oldest = session.ends.remove(0);
      byEnd.remove(new KnownEnd(session.node, oldest));
      tell(oldest, micros, null);
    }
    session.ends.add(end);
    if (before != session) {
      tell(end, micros, session.subscriber);
    }
  }

  private void tell(End end, long micros, Subscriber subscriber) {
    if (!end.isControl()) {
      listener.tell(end.id(), end.high(), end.low(), micros, subscriber);
    }
  }

  private void tellAll(Session session, long micros, Subscriber subscriber) {
    session.ends.forEach(end -> tell(end, micros, subscriber));
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
    var unused = sessions.get(session); // the most recently used
  }

  private void remove(Session session, long micros) {
    session.ends.forEach(end -> byEnd.remove(new KnownEnd(session.node, end)));
    sessions.remove(session);
    tellAll(session, micros, null);
  }

  private void expire(long nowMicros) {
    Iterator<Request> oldestAsked = waiting.values().iterator();
    while (oldestAsked.hasNext()
        && (oldestAsked.next().timeMicros() < nowMicros - PATIENCE_MICROS
            || waiting.size() >= MOST_WAITING)) {
      oldestAsked.remove();
    }
    Iterator<Answer> oldestAnswered = early.values().iterator();
    while (oldestAnswered.hasNext()
        && (oldestAnswered.next().timeMicros() < nowMicros - PATIENCE_MICROS
            || early.size() >= MOST_WAITING)) {
      oldestAnswered.remove();
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

  /** Number of waiting requests and responses. */
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
        (question, asked) -> {
          BlockBuffer group = out.group(groups.groupOf(question.node().hash()));
          group.putByte(QUESTION);
          write(question, group);
          group.putByte(asked.kind().ordinal());
          group.putLong(asked.timeMicros());
          asked.told().write(group);
          write(List.of(asked.session()), group);
          write(asked.ends(), group);
        });
    early.forEach(
        (question, answered) -> {
          BlockBuffer group = out.group(groups.groupOf(question.node().hash()));
          group.putByte(ANSWER);
          write(question, group);
          group.putLong(answered.timeMicros());
          write(List.of(answered.session()), group);
          write(answered.ends(), group);
        });
  }

  private static void write(Node node, BlockBuffer out) {
    out.putLong(node.high());
    out.putLong(node.low());
  }

  private static Node node(BlockInput in) {
    return new Node(in.takeLong(), in.takeLong());
  }

  private static void write(Question question, BlockBuffer out) {
    write(question.from(), out);
    write(question.to(), out);
    out.putInt(question.sequence());
    out.putByte(question.isAskers() ? 1 : 0);
  }

  private static Question question(BlockInput in) {
    return new Question(node(in), node(in), in.takeInt(), in.takeByte() != 0);
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
      Question question = question(in);
      if (mark == QUESTION) {
        GtpControl.Kind kind = KINDS[in.takeByte()];
        waiting.put(
            question,
            new Request(kind, in.takeLong(), Subscriber.read(in), ends(in).get(0), ends(in)));
      } else {
        early.put(question, new Answer(in.takeLong(), ends(in).get(0), ends(in)));
      }
    }
  }
}
