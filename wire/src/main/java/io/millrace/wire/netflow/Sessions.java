package io.millrace.wire.netflow;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RejectReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Exporters' state, within limits for each sender and for all.
 *
 * <p>A session is kept while it has a template or data that waits for one. At a sender's quota, its
 * least recently used session is evicted. At a global limit, a session that has been unused for
 * longer than data may wait is evicted; if there is none, the new state is rejected, so that active
 * senders are not displaced. Waiting data is charged for all its memory, including its session.
 *
 * <p>Each step takes constant time, apart from removals. Not thread-safe.
 */
final class Sessions {
  private final NetflowConfig config;
  private final Map<Sender.Key, Sender> senders = new HashMap<>();
  private final Map<Device.Key, Device> devices = new HashMap<>();

  /** Sessions with templates, least recently used first. */
  private final Map<Session.Key, Session> established = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<Session.Key, Session> waiting = new HashMap<>();

  /** All waiting data, in order of arrival. */
  private final Set<PendingSet> held = new LinkedHashSet<>();

  private Session last;
  private int heldBytes;
  private int templates;
  private int templateWeight;
  private int rates;

  Sessions(NetflowConfig config) {
    this.config = config;
  }

  /** The session, or a new one, which is stored once it has state. */
  Session session(long high, long low, int port, int version, int domain, long nowMicros) {
    Session session = last;
    if (session == null || !session.key.is(high, low, port, version, domain)) {
      Session.Key key = new Session.Key(high, low, port, version, domain);
      session = established.get(key);
      if (session != null) {
        last = session.sender.sessions.get(key); // also the sender's most recently used session
      } else {
        last = null;
        session = waiting.get(key);
        if (session == null) {
          session = new Session(key);
          session.device = devices.get(Device.Key.of(key));
        }
      }
    }
    session.usedMicros = nowMicros;
    return session;
  }

  /** Adds a template that the session lacks; returns false at a limit. */
  boolean addTemplate(Session session, Template template, Observations observer) {
    Sender sender = sender(session);
    boolean isNew = session.templates.isEmpty();
    int weight = template.weight();
    if (session.templates.size() >= config.maxTemplates()
        || weight > config.share(config.maxAllTemplates())
        || !makeRoom(session, sender, isNew ? 1 : 0, weight, observer)) {
      return false;
    }
    keep(session, sender);
    if (isNew) {
      waiting.remove(session.key);
      established.put(session.key, session);
      sender.sessions.put(session.key, session);
    }
    session.templates.put(template.id, template);
    session.device.add(session, template.id);
    templates++;
    templateWeight += weight;
    sender.templateWeight += weight;
    return true;
  }

  void confirmTemplate(Session session, int id) {
    session.device.add(session, id);
  }

  /** The newest session of the address and domain with that template; null if there is none. */
  Session lender(Session session, int templateId) {
    return session.device == null ? null : session.device.lender(session, templateId);
  }

  private boolean makeRoom(
      Session session, Sender sender, int more, int weight, Observations observer) {
    while (sender.sessions.size() + more > config.share(config.maxSessions())
        || sender.templateWeight + weight > config.share(config.maxAllTemplates())) {
      Session oldest = eldest(sender.sessions);
      if (oldest == null || oldest == session) {
        return false;
      }
      evict(oldest, observer);
    }
    while (established.size() + more > config.maxSessions()
        || templateWeight + weight > config.maxAllTemplates()) {
      Session oldest = eldest(established);
      if (oldest == null
          || oldest == session
          || Math.abs(session.usedMicros - oldest.usedMicros) <= config.maxHeldMicros()) {
        return false;
      }
      evict(oldest, observer);
    }
    return true;
  }

  private static Session eldest(Map<Session.Key, Session> sessions) {
    Iterator<Session> all = sessions.values().iterator();
    return all.hasNext() ? all.next() : null;
  }

  void removeTemplate(Session session, int id) {
    Template template = session.templates.remove(id);
    if (template != null) {
      removed(session, template);
    }
  }

  void removeTemplates(Session session, boolean isOptions) {
    for (Iterator<Template> all = session.templates.values().iterator(); all.hasNext(); ) {
      Template template = all.next();
      if (template.isOptions == isOptions) {
        all.remove();
        removed(session, template);
      }
    }
  }

  private void removed(Session session, Template template) {
    session.device.remove(session, template.id);
    templates--;
    templateWeight -= template.weight();
    session.sender.templateWeight -= template.weight();
    if (session.templates.isEmpty()) {
      established.remove(session.key);
      session.sender.sessions.remove(session.key);
      waiting.put(session.key, session);
      last = null;
    }
  }

  void settle(Session session) {
    if (session.sender != null && session.templates.isEmpty() && session.held.isEmpty()) {
      waiting.remove(session.key);
      leave(session);
    }
  }

  private void evict(Session session, Observations observer) {
    Observations of = of(session, observer);
    for (ArrayDeque<PendingSet> sets : List.copyOf(session.held.values())) {
      for (PendingSet set : List.copyOf(sets)) {
        drop(set, observer);
      }
    }
    int gone = session.templates.size();
    for (int id : List.copyOf(session.templates.keySet())) {
      removeTemplate(session, id);
    }
    waiting.remove(session.key);
    leave(session);
    of.templates(-gone);
    of.sessionEvicted();
  }

  private void keep(Session session, Sender sender) {
    if (session.sender == null) {
      session.sender = sender;
      sender.rates += session.rates();
      rates += session.rates();
      senders.putIfAbsent(sender.key, sender);
      session.device = devices.computeIfAbsent(Device.Key.of(session.key), Device::new);
      session.device.sessions++;
    }
  }

  private void leave(Session session) {
    Sender sender = session.sender;
    rates -= session.rates();
    sender.rates -= session.rates();
    session.sender = null;
    session.device.leave(session);
    if (session.device.sessions == 0) {
      devices.remove(session.device.key);
    }
    if (last == session) {
      last = null;
    }
    if (sender.hasNothing()) {
      senders.remove(sender.key);
    }
  }

  private Sender sender(Session session) {
    if (session.sender != null) {
      return session.sender;
    }
    long high = session.key.high();
    Sender.Key key = new Sender.Key(high, Addresses.senderLow(high, session.key.low()));
    Sender sender = senders.get(key);
    return sender == null ? new Sender(key) : sender;
  }

  /** Stores a rate of at least 1; ignores it at a limit. */
  void putRate(Session session, RateScope scope, long id, int rate) {
    session.device.updated(session, scope);
    if (scope == RateScope.ALL) {
      session.rateOfAll = rate;
      return;
    }
    SamplerTable table =
        switch (scope) {
          case SAMPLER -> session.samplers;
          case CACHE -> session.caches;
          default -> session.scoped;
        };
    long place = table == session.scoped ? Session.place(scope, id) : id;
    if (table.rate(place) == Sampling.UNKNOWN) {
      Sender sender = session.sender;
      if (session.rates() >= config.maxTemplates()
          || sender.rates >= config.share(config.maxAllTemplates())
          || rates >= config.maxAllTemplates()) {
        return;
      }
      rates++;
      sender.rates++;
    }
    table.put(place, rate);
  }

  void hold(PendingSet set, Observations observer) {
    Session session = set.session;
    if (!addHeld(set)) {
      observer.reject(RejectReason.NO_TEMPLATE, 0);
      observer.heldDropped(set.cost());
      return;
    }
    if (session.templates.isEmpty()) {
      waiting.put(session.key, session);
    }
    observer.held(set.cost());
  }

  private boolean addHeld(PendingSet set) {
    Session session = set.session;
    Sender sender = sender(session);
    int cost = set.cost() + (session.held.isEmpty() ? PendingSet.sessionCost() : 0);
    if (cost > config.maxHeldBytes() - heldBytes
        || cost > config.share(config.maxHeldBytes()) - sender.heldBytes) {
      return false;
    }
    keep(session, sender);
    heldBytes += cost;
    sender.heldBytes += cost;
    session.held.computeIfAbsent(set.setId, id -> new ArrayDeque<>(1)).addLast(set);
    session.device.awaits(session, set.setId);
    held.add(set);
    return true;
  }

  void expire(long nowMicros, Observations observer) {
    while (!held.isEmpty()) {
      PendingSet oldest = held.iterator().next();
      if (Math.abs(nowMicros - oldest.arrivalMicros) <= config.maxHeldMicros()) {
        return;
      }
      drop(oldest, observer);
      settle(oldest.session);
    }
  }

  private void drop(PendingSet set, Observations observer) {
    Session session = set.session;
    ArrayDeque<PendingSet> same = session.held.get(set.setId);
    same.removeFirstOccurrence(set); // the first one, unless the clock was set back
    if (same.isEmpty()) {
      session.held.remove(set.setId);
      session.device.awaitsNoMore(session, set.setId);
    }
    released(set);
    released(session);
    Observations of = of(session, observer);
    of.reject(RejectReason.NO_TEMPLATE, 0);
    of.heldDropped(set.cost());
  }

  /** Removes and returns the sets that wait for a template, in order of arrival. */
  Iterable<PendingSet> release(Session session, int templateId) {
    ArrayDeque<PendingSet> sets = session.held.remove(templateId);
    if (sets == null) {
      return List.of();
    }
    session.device.awaitsNoMore(session, templateId);
    for (PendingSet set : sets) {
      released(set);
    }
    released(session);
    return sets;
  }

  private void released(PendingSet set) {
    held.remove(set);
    heldBytes -= set.cost();
    set.session.sender.heldBytes -= set.cost();
  }

  private void released(Session session) {
    if (session.held.isEmpty()) {
      heldBytes -= PendingSet.sessionCost();
      session.sender.heldBytes -= PendingSet.sessionCost();
    }
  }

  static Observations of(Session session, Observations observer) {
    Session.Key key = session.key;
    return observer.of(key.high(), key.low(), key.port(), key.version(), key.domain());
  }

  int templates() {
    return templates;
  }

  int size() {
    return established.size() + waiting.size();
  }

  int heldBytes() {
    return heldBytes;
  }

  /** All sessions: those with templates, least recently used first, then the others. */
  Iterable<Session> inOrder() {
    List<Session> all = new ArrayList<>(established.values());
    waiting.values().stream()
        .sorted(
            Comparator.comparingLong((Session s) -> s.key.high())
                .thenComparingLong(s -> s.key.low())
                .thenComparingInt(s -> s.key.port())
                .thenComparingInt(s -> s.key.version())
                .thenComparingInt(s -> s.key.domain()))
        .forEach(all::add); // equal states have equal bytes
    return all;
  }
}
