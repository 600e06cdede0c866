package io.millrace.wire.netflow;

import io.millrace.wire.block.KeyHash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All sessions of one address and version. Options and templates of one apply to others that have
 * none.
 *
 * <p>A device has many UDP ports: options may come from another port than data, and templates of
 * version 9 belong to source address and source id, whatever the port (RFC 3954 section 5.1). A
 * session's own values take precedence, then the newest of the same observation domain from any
 * port, then those of other domains if all of them agree. Not thread-safe.
 */
final class Device {
  static final int MAX_SOURCES = 32;

  record Key(long high, long low, int version) {
    static Key of(Session.Key session) {
      return new Key(session.high(), session.low(), session.version());
    }

    @Override
    public int hashCode() {
      return (int) KeyHash.with(KeyHash.of(high, low), version);
    }
  }

  final Key key;

  int sessions;

  /** Sessions with a rate or a start time, least recently updated first. */
  private final List<Session> sources = new ArrayList<>(1);

  /** Session with the newest template, by domain and template id. */
  private final Map<Long, Session> newest = new HashMap<>();

  private final Map<Long, Set<Session>> awaiting = new HashMap<>();

  private int scopes;

  Device(Key key) {
    this.key = key;
  }

  private static long place(Session session, int templateId) {
    return (long) session.key.domain() << 16 | templateId;
  }

  void add(Session session, int templateId) {
    newest.put(place(session, templateId), session);
  }

  void remove(Session session, int templateId) {
    newest.remove(place(session, templateId), session);
  }

  boolean isNewest(Session session, int templateId) {
    return newest.get(place(session, templateId)) == session;
  }

  /** Session with the newest template of this id in the domain; null if there is none. */
  Session lender(Session session, int templateId) {
    return newest.get(place(session, templateId));
  }

  void awaits(Session session, int templateId) {
    awaiting.computeIfAbsent(place(session, templateId), id -> new LinkedHashSet<>()).add(session);
  }

  void awaitsNoMore(Session session, int templateId) {
    long place = place(session, templateId);
    Set<Session> those = awaiting.get(place);
    if (those != null && those.remove(session) && those.isEmpty()) {
      awaiting.remove(place);
    }
  }

  List<Session> awaiting(Session session, int templateId) {
    Set<Session> those = awaiting.isEmpty() ? null : awaiting.get(place(session, templateId));
    return those == null ? List.of() : List.copyOf(those);
  }

  void updated(Session session, RateScope scope) {
    scopes |= 1 << scope.ordinal();
    updated(session);
  }

  void restored(Session session) {
    session.scoped.forEachId(place -> scopes |= 1 << (int) (place >>> Integer.SIZE));
    scopes |= session.caches.size() > 0 ? 1 << RateScope.CACHE.ordinal() : 0;
    scopes |= session.rateOfAll > 0 ? 1 << RateScope.ALL.ordinal() : 0;
  }

  void updated(Session session) {
    int last = sources.size() - 1;
    if (last >= 0 && sources.get(last) == session) {
      return;
    }
    if (!sources.remove(session) && sources.size() == MAX_SOURCES) {
      sources.remove(0);
    }
    sources.add(session);
  }

  void leave(Session session) {
    sources.remove(session);
    sessions--;
  }

  List<Session> sources() {
    return sources;
  }

  boolean has(RateScope scope) {
    return (scopes & 1 << scope.ordinal()) != 0;
  }

  /** The session's rate; {@link Sampling#UNKNOWN} if there is none. */
  int rate(Session own, RateScope scope, long id) {
    int rate = own.rate(scope, id);
    if (rate != Sampling.UNKNOWN) {
      return Math.max(rate, Sampling.UNKNOWN);
    }
    for (int i = sources.size() - 1; i >= 0; i--) {
      Session other = sources.get(i);
      rate = other == own || !other.isOfDomain(own) ? Sampling.UNKNOWN : other.rate(scope, id);
      if (rate != Sampling.UNKNOWN) {
        return Math.max(rate, Sampling.UNKNOWN);
      }
    }
    return scope.isOfDevice() ? rateOfOtherDomains(own, scope, id) : Sampling.UNKNOWN;
  }

  private int rateOfOtherDomains(Session own, RateScope scope, long id) {
    int only = Sampling.UNKNOWN;
    for (Session other : sources) {
      int rate = other.isOfDomain(own) ? Sampling.UNKNOWN : other.rate(scope, id);
      if (rate == Sampling.UNKNOWN || rate == only) {
        continue;
      }
      if (rate < 0 || only != Sampling.UNKNOWN) {
        return Sampling.UNKNOWN;
      }
      only = rate;
    }
    return only;
  }

  /** Start of the session's exporter, milliseconds since the epoch; -1 if unknown. */
  long systemInitMillis(Session own) {
    if (own.systemInitMillis >= 0) {
      return own.systemInitMillis;
    }
    for (int i = sources.size() - 1; i >= 0; i--) {
      Session other = sources.get(i);
      if (other.isOfDomain(own) && other.systemInitMillis >= 0) {
        return other.systemInitMillis;
      }
    }
    long only = -1;
    for (Session other : sources) {
      long millis = other.isOfDomain(own) ? -1 : other.systemInitMillis;
      if (millis >= 0 && millis != only) {
        if (only >= 0) {
          return -1;
        }
        only = millis;
      }
    }
    return only;
  }
}
