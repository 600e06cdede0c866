package io.millrace.wire.netflow;

import io.millrace.wire.block.KeyHash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All sessions of one address and version that are kept: what one of them told holds for the others
 * too, where these told nothing themselves.
 *
 * <p>A device has many UDP ports: options may come from another one than data, and templates of
 * version 9 belong to the source address and the source id, whatever the port (RFC 3954 section
 * 5.1). So a session's own word comes first, then the newest of the same observation domain from
 * any port, then that of other domains where all of them say the same. Not thread-safe.
 */
final class Device {
  /** Sessions that are asked for what another one of the device did not tell. */
  static final int MOST_TELLERS = 32;

  /**
   * What it is known by.
   *
   * @param high upper half of the address
   * @param low lower half
   * @param version 9 or 10
   */
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

  /** Sessions that are kept. */
  int sessions;

  /** Sessions that told a rate or when they started, the one that did so last at the end. */
  private final List<Session> tellers = new ArrayList<>(1);

  /** By domain and id of a template: who told it last. */
  private final Map<Long, Session> newest = new HashMap<>();

  /** By domain and id of a template: whose data waits for it. */
  private final Map<Long, Set<Session>> awaiting = new HashMap<>();

  private int scopes; // a bit for each scope that a rate was told of

  Device(Key key) {
    this.key = key;
  }

  private static long place(Session session, int templateId) {
    return (long) session.key.domain() << 16 | templateId;
  }

  /** Takes note of a template of the session, told just now. */
  void add(Session session, int templateId) {
    newest.put(place(session, templateId), session);
  }

  /** Takes note of a template that the session has no longer. */
  void remove(Session session, int templateId) {
    newest.remove(place(session, templateId), session);
  }

  boolean isNewest(Session session, int templateId) {
    return newest.get(place(session, templateId)) == session;
  }

  /** Who told a template of the session's domain last, from any port; null if nobody did. */
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

  /** Whose data waits for a template of the session's domain, in the order in which it came. */
  List<Session> awaiting(Session session, int templateId) {
    Set<Session> those = awaiting.isEmpty() ? null : awaiting.get(place(session, templateId));
    return those == null ? List.of() : List.copyOf(those);
  }

  /** Takes note that the session told something that holds for others. */
  void told(Session session, RateScope scope) {
    scopes |= 1 << scope.ordinal();
    told(session);
  }

  /** Takes note of the scopes of a session that was restored. */
  void restored(Session session) {
    session.scoped.forEachId(place -> scopes |= 1 << (int) (place >>> Integer.SIZE));
    scopes |= session.caches.size() > 0 ? 1 << RateScope.CACHE.ordinal() : 0;
    scopes |= session.rateOfAll > 0 ? 1 << RateScope.ALL.ordinal() : 0;
  }

  void told(Session session) {
    int last = tellers.size() - 1;
    if (last >= 0 && tellers.get(last) == session) {
      return;
    }
    if (!tellers.remove(session) && tellers.size() == MOST_TELLERS) {
      tellers.remove(0);
    }
    tellers.add(session);
  }

  void leave(Session session) {
    tellers.remove(session);
    sessions--;
  }

  /** Sessions that told something, the one that did so last at the end. */
  List<Session> tellers() {
    return tellers;
  }

  /** Whether a rate of that scope was told. */
  boolean has(RateScope scope) {
    return (scopes & 1 << scope.ordinal()) != 0;
  }

  /** The rate that holds for the session; {@link Sampling#UNTOLD} if there is none. */
  int rate(Session own, RateScope scope, long id) {
    int rate = own.rate(scope, id);
    if (rate != Sampling.UNTOLD) {
      return Math.max(rate, Sampling.UNTOLD);
    }
    for (int i = tellers.size() - 1; i >= 0; i--) {
      Session other = tellers.get(i);
      rate = other == own || !other.isOfDomain(own) ? Sampling.UNTOLD : other.rate(scope, id);
      if (rate != Sampling.UNTOLD) {
        return Math.max(rate, Sampling.UNTOLD);
      }
    }
    return scope.isOfDevice() ? rateOfOtherDomains(own, scope, id) : Sampling.UNTOLD;
  }

  private int rateOfOtherDomains(Session own, RateScope scope, long id) {
    int only = Sampling.UNTOLD;
    for (Session other : tellers) {
      int rate = other.isOfDomain(own) ? Sampling.UNTOLD : other.rate(scope, id);
      if (rate == Sampling.UNTOLD || rate == only) {
        continue;
      }
      if (rate < 0 || only != Sampling.UNTOLD) {
        return Sampling.UNTOLD;
      }
      only = rate;
    }
    return only;
  }

  /** When the session's exporter started, milliseconds since the epoch; -1 if nothing told it. */
  long systemInitMillis(Session own) {
    if (own.systemInitMillis >= 0) {
      return own.systemInitMillis;
    }
    for (int i = tellers.size() - 1; i >= 0; i--) {
      Session other = tellers.get(i);
      if (other.isOfDomain(own) && other.systemInitMillis >= 0) {
        return other.systemInitMillis;
      }
    }
    long only = -1;
    for (Session other : tellers) {
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
