package io.millrace.wire.netflow;

import io.millrace.wire.block.RejectReason;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** All sessions, the one used last at the end. Not thread-safe. */
final class Sessions {
  private final NetflowConfig config;
  private final Map<Session.Key, Session> all = new LinkedHashMap<>(16, 0.75f, true);
  private Session last;
  private int heldBytes;
  private int templates;
  private long expiredAtMicros = Long.MIN_VALUE;

  Sessions(NetflowConfig config) {
    this.config = config;
  }

  /** The session, made where it is new; the one unused for longest may have to go for it. */
  Session session(long high, long low, int port, int version, int domain, Observations observer) {
    Session session = last;
    if (session != null) {
      Session.Key key = session.key;
      if (key.low() == low
          && key.high() == high
          && key.port() == port
          && key.version() == version
          && key.domain() == domain) {
        return session;
      }
    }
    Session.Key key = new Session.Key(high, low, port, version, domain);
    session = all.get(key);
    if (session == null) {
      if (all.size() >= config.maxSessions()) {
        evict(observer);
      }
      session = new Session(key, config);
      all.put(key, session);
    }
    last = session;
    return session;
  }

  /** Takes a session that was read from a state, as the one used last. */
  void add(Session session) {
    Session before = all.put(session.key, session);
    if (before != null) {
      heldBytes -= before.heldBytes;
      templates -= before.templates.size();
    }
    heldBytes += session.heldBytes;
    templates += session.templates.size();
    while (all.size() > 1
        && (all.size() > config.maxSessions() || templates > config.maxAllTemplates())) {
      evict(Observations.NONE);
    }
    for (Session oldest : all.values()) {
      while (heldBytes > config.maxHeldBytes() && !oldest.held.isEmpty()) {
        drop(oldest, Observations.NONE);
      }
      if (heldBytes <= config.maxHeldBytes()) {
        return;
      }
    }
  }

  /** Takes a template that the session did not have; false if there is no room for it. */
  boolean addTemplate(Session session, Template template, Observations observer) {
    if (session.templates.size() >= config.maxTemplates()) {
      return false;
    }
    while (templates >= config.maxAllTemplates() && all.size() > 1) {
      evict(observer); // the session at hand is the one used last, so never itself
    }
    if (templates >= config.maxAllTemplates()) {
      return false;
    }
    session.templates.put(template.id, template);
    templates++;
    return true;
  }

  /** Says that templates of a session were withdrawn. */
  void removedTemplates(int count) {
    templates -= count;
  }

  private void evict(Observations observer) {
    Iterator<Session> oldest = all.values().iterator();
    Session session = oldest.next();
    oldest.remove();
    while (!session.held.isEmpty()) {
      drop(session, observer);
    }
    if (!session.templates.isEmpty()) {
      templates -= session.templates.size();
      observer.templates(-session.templates.size());
    }
    observer.sessionEvicted();
  }

  /** Puts a data set aside until its template comes, or gives it up for want of room. */
  void hold(Session session, Session.HeldSet set, Observations observer) {
    int size = set.bytes().length;
    if (size > config.maxHeldBytes() - heldBytes) {
      expireAll(set.arrivalMicros(), observer);
    }
    if (size > config.maxHeldBytes() - heldBytes
        || size > config.maxHeldSessionBytes() - session.heldBytes) {
      observer.reject(RejectReason.NO_TEMPLATE, 0);
      observer.heldDropped(size);
      return;
    }
    session.held.addLast(set);
    session.heldBytes += size;
    heldBytes += size;
    observer.held(size);
  }

  /** Gives up what has waited too long. */
  void expire(Session session, long nowMicros, Observations observer) {
    while (!session.held.isEmpty()
        && nowMicros - session.held.peekFirst().arrivalMicros() > config.maxHeldMicros()) {
      drop(session, observer);
    }
  }

  private void expireAll(long nowMicros, Observations observer) {
    if (nowMicros - expiredAtMicros < 1_000_000 && expiredAtMicros <= nowMicros) {
      return; // a flood must not walk over all sessions for each datagram
    }
    expiredAtMicros = nowMicros;
    for (Session session : all.values()) {
      expire(session, nowMicros, observer);
    }
  }

  private void drop(Session session, Observations observer) {
    int size = session.held.removeFirst().bytes().length;
    released(session, size);
    observer.reject(RejectReason.NO_TEMPLATE, 0);
    observer.heldDropped(size);
  }

  /** Says that a set does not wait any more. */
  void released(Session session, int size) {
    session.heldBytes -= size;
    heldBytes -= size;
  }

  int templates() {
    return templates;
  }

  int size() {
    return all.size();
  }

  int heldBytes() {
    return heldBytes;
  }

  /** All sessions, the one unused for longest first. */
  Iterable<Session> inOrder() {
    return all.values();
  }
}
