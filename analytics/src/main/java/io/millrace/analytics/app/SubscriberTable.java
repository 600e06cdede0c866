package io.millrace.analytics.app;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.packet.GtpControl;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which tunnel of GTP belongs to which subscriber, as control messages tell it.
 *
 * <p>A request names the subscriber, the place and the tunnels of who asks; its answer, which has
 * the same sequence number, those of who is asked. Where the answer says yes, both belong to one
 * session. Later messages name the session by the number that its receiver has given it. A session
 * whose begin was not seen is known by its tunnels and place alone.
 *
 * <p>Bounded: beyond the most sessions the one that was not heard of for longest goes, and is
 * counted; a session that was not heard of for a time is over. Requests wait for their answers no
 * longer than {@value #PATIENCE_SECONDS} s. A session is taken down as a whole. Not thread-safe.
 *
 * <p>All of it follows from the messages alone, and from no packet in a tunnel: subtasks that are
 * given the same messages have the same table, so that each may write a part of it, and any number
 * of others take it up.
 */
final class SubscriberTable {
  static final int PATIENCE_SECONDS = 60;
  private static final long PATIENCE_MICROS = PATIENCE_SECONDS * 1_000_000L;
  private static final int MOST_WAITING = 1 << 14;
  private static final int MOST_ENDS = 64;

  // In state.
  private static final int SESSION = 1;
  private static final int QUESTION = 2;
  private static final GtpControl.Kind[] KINDS = GtpControl.Kind.values();

  /** Where a tunnel ends: its number there, and the address; signalling has numbers of its own. */
  private record End(boolean isControl, long id, long high, long low) {
    int hash() {
      return Hash.of(Hash.of(high, low), id);
    }
  }

  /** Who asks whom, and the number of the question. */
  private record Question(long fromHigh, long fromLow, long toHigh, long toLow, int sequence) {}

  private record Asked(
      GtpControl.Kind kind, long timeMicros, Subscriber told, End session, List<End> ends) {}

  private static final class Session {
    final List<End> ends = new ArrayList<>();
    Subscriber subscriber = Subscriber.UNKNOWN;
    long lastMicros;
  }

  private final SubscriberNames names;
  private final int mostSessions;
  private final long idleMicros;
  private final GtpControl message = new GtpControl();
  private final LinkedHashMap<Question, Asked> waiting = new LinkedHashMap<>();
  private final LinkedHashMap<Session, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<End, Session> byEnd = new HashMap<>();
  private long evicted;
  private boolean isUnordered;

  /**
   * An empty table.
   *
   * @param mostSessions at least 1
   * @param idleMicros a session that was not heard of for so long is over
   */
  SubscriberTable(SubscriberNames names, int mostSessions, long idleMicros) {
    this.names = names;
    this.mostSessions = mostSessions;
    this.idleMicros = idleMicros;
  }

  /** Whose packets come to the end of a tunnel; null if that is not known. */
  Subscriber find(long id, long high, long low) {
    Session session = byEnd.get(new End(false, id, high, low));
    return session == null ? null : session.subscriber;
  }

  /**
   * Learns from the payload of a packet of the control plane.
   *
   * @param fromHigh who has sent it, to whom
   */
  void learn(
      long timeMicros,
      long fromHigh,
      long fromLow,
      long toHigh,
      long toLow,
      byte[] bytes,
      int offset,
      int end) {
    if (isUnordered) {
      order();
    }
    expire(timeMicros);
    int at = offset;
    while (at >= 0) {
      boolean isRead = message.read(bytes, at, end);
      at = message.next();
      if (!isRead) {
        continue;
      }
      switch (message.kind()) {
        case CREATE_REQUEST, UPDATE_REQUEST, DELETE_REQUEST -> {
          Question question = new Question(fromHigh, fromLow, toHigh, toLow, message.sequence());
          waiting.remove(question);
          waiting.put(question, asked(timeMicros, toHigh, toLow));
        }
        default -> {
          Asked asked =
              waiting.remove(new Question(toHigh, toLow, fromHigh, fromLow, message.sequence()));
          if (asked != null && message.isAccepted()) {
            agree(asked, new End(true, message.tunnelId(), toHigh, toLow), timeMicros);
          }
        }
      }
    }
  }

  private Asked asked(long timeMicros, long toHigh, long toLow) {
    return new Asked(
        message.kind(),
        timeMicros,
        new Subscriber(names.of(message), message.area(), message.cell()),
        new End(true, message.tunnelId(), toHigh, toLow),
        ends());
  }

  /** The ends that the message's sender has made. */
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

  /** The question was answered with yes; each side has named the other's number of the session. */
  private void agree(Asked asked, End askersSession, long timeMicros) {
    Session session = byEnd.get(asked.session());
    if (session == null) {
      session = byEnd.get(askersSession);
    }
    if (asked.kind() == GtpControl.Kind.DELETE_REQUEST) {
      if (session != null) {
        remove(session);
      }
      return;
    }
    if (session == null) {
      session = begin();
    }
    session.subscriber = session.subscriber.with(asked.told());
    asked.ends().add(asked.session());
    asked.ends().add(askersSession);
    asked.ends().addAll(ends());
    for (End end : asked.ends()) {
      if (end.id() > 0) {
        bind(end, session);
      }
    }
    touch(session, timeMicros);
  }

  private Session begin() {
    if (sessions.size() >= mostSessions) {
      remove(sessions.keySet().iterator().next());
      evicted++;
    }
    Session session = new Session();
    sessions.put(session, session);
    return session;
  }

  private void bind(End end, Session session) {
    Session before = byEnd.get(end);
    if (before != null) {
      before.ends.remove(end); // the newest of the same session stay
    }
    if (session.ends.size() == MOST_ENDS) {
      byEnd.remove(session.ends.remove(0));
    }
    session.ends.add(end);
    byEnd.put(end, session);
  }

  /** Puts sessions that came back in groups into the order in which they were heard of. */
  private void order() {
    List<Session> ordered = new ArrayList<>(sessions.keySet());
    ordered.sort(Comparator.comparingLong(session -> session.lastMicros));
    sessions.clear();
    ordered.forEach(session -> sessions.put(session, session));
    isUnordered = false;
  }

  private void touch(Session session, long timeMicros) {
    session.lastMicros = Math.max(session.lastMicros, timeMicros);
    var unused = sessions.get(session); // the newest in the order of use
  }

  private void remove(Session session) {
    session.ends.forEach(byEnd::remove);
    sessions.remove(session);
  }

  private void expire(long nowMicros) {
    Iterator<Asked> oldestAsked = waiting.values().iterator();
    while (oldestAsked.hasNext()
        && (oldestAsked.next().timeMicros() < nowMicros - PATIENCE_MICROS
            || waiting.size() >= MOST_WAITING)) {
      oldestAsked.remove();
    }
    Iterator<Session> oldest = sessions.keySet().iterator();
    while (oldest.hasNext()) {
      Session session = oldest.next();
      if (session.lastMicros >= nowMicros - idleMicros) {
        return;
      }
      session.ends.forEach(byEnd::remove);
      oldest.remove();
    }
  }

  /** Sessions at the moment. */
  int size() {
    return sessions.size();
  }

  /** Requests that wait for their answers. */
  int waiting() {
    return waiting.size();
  }

  /** Sessions that went for want of room. */
  long evicted() {
    return evicted;
  }

  /**
   * Writes sessions by the key group of their first end, and requests by that of who asks.
   *
   * @param groups only those of this range
   */
  Map<Integer, byte[]> write(KeyGroups groups) {
    Map<Integer, BlockBuffer> byGroup = new HashMap<>();
    for (Session session : sessions.keySet()) {
      BlockBuffer group =
          group(session.ends.isEmpty() ? 0 : session.ends.get(0).hash(), groups, byGroup);
      if (group != null) {
        group.putByte(SESSION);
        group.putLong(session.lastMicros);
        session.subscriber.write(group);
        write(session.ends, group);
      }
    }
    waiting.forEach(
        (question, asked) -> {
          BlockBuffer group =
              group(Hash.of(question.fromHigh(), question.fromLow()), groups, byGroup);
          if (group != null) {
            group.putByte(QUESTION);
            group.putLong(question.fromHigh());
            group.putLong(question.fromLow());
            group.putLong(question.toHigh());
            group.putLong(question.toLow());
            group.putInt(question.sequence());
            group.putByte(asked.kind().ordinal());
            group.putLong(asked.timeMicros());
            asked.told().write(group);
            write(List.of(asked.session()), group);
            write(asked.ends(), group);
          }
        });
    Map<Integer, byte[]> written = new HashMap<>();
    byGroup.forEach((group, buffer) -> written.put(group, buffer.toBytes()));
    return written;
  }

  private static BlockBuffer group(int hash, KeyGroups groups, Map<Integer, BlockBuffer> byGroup) {
    return groups.holds(hash)
        ? byGroup.computeIfAbsent(groups.groupOf(hash), group -> new BlockBuffer(1 << 10))
        : null;
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

  /** Adds what {@link #write} wrote of a group; groups may come in any order. */
  void restore(BlockInput in) {
    isUnordered = true;
    while (in.remaining() > 0) {
      if (in.takeByte() == SESSION) {
        Session session = begin();
        session.lastMicros = in.takeLong();
        session.subscriber = Subscriber.read(in);
        for (End end : ends(in)) {
          bind(end, session);
        }
      } else {
        Question question =
            new Question(in.takeLong(), in.takeLong(), in.takeLong(), in.takeLong(), in.takeInt());
        GtpControl.Kind kind = KINDS[in.takeByte()];
        waiting.put(
            question,
            new Asked(kind, in.takeLong(), Subscriber.read(in), ends(in).get(0), ends(in)));
      }
    }
  }
}
