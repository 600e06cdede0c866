package io.millrace.analytics.app.subscriber;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Owners of tunnel endpoints in the last hour. An owner is valid from the time of its message,
 * whatever the order of arrival.
 *
 * <p>Bounded: at the limit the least recently updated endpoint is evicted and counted. Not
 * thread-safe.
 */
public final class TunnelOwners implements SubscriberTable.Listener {
  private static final int MAX_OWNERS = 8;

  private static final long KEPT_MICROS = 3_600_000_000L;

  private record End(long id, long high, long low) {}

  /** {@code subscriber} is null if the endpoint has no owner from then on. */
  private record TunnelOwner(long sinceMicros, Subscriber subscriber) {}

  private final int max;

  /** Owners by time, the most recently updated endpoint last. */
  private final LinkedHashMap<End, List<TunnelOwner>> byEnd = new LinkedHashMap<>();

  private final Set<End> gone = new LinkedHashSet<>();

  private long newestMicros = Long.MIN_VALUE;
  private long evicted;

  /**
   * An empty table.
   *
   * @param max maximum number of endpoints, at least 1
   */
  public TunnelOwners(int max) {
    this.max = max;
  }

  /** Hash of an endpoint for partitioning. */
  public static int hash(long id, long high, long low) {
    return Hash.of(Hash.of(high, low), id);
  }

  @Override
  public void setOwner(long id, long high, long low, long sinceMicros, Subscriber subscriber) {
    End end = new End(id, high, low);
    List<TunnelOwner> owners = byEnd.remove(end);
    if (owners == null) {
      owners = new ArrayList<>(2);
    }
    byEnd.put(end, owners);
    insert(owners, new TunnelOwner(sinceMicros, subscriber));
    newestMicros = Math.max(newestMicros, sinceMicros);
    while (owners.size() > MAX_OWNERS
        || (owners.size() > 1 && owners.get(1).sinceMicros < newestMicros - KEPT_MICROS)) {
      owners.remove(0);
    }
    gone.remove(end);
    if (last(owners).subscriber == null) {
      gone.add(end);
    }
    expire();
  }

  /** Inserts an owner by time; of two at the same time, the one with a subscriber is kept. */
  private static void insert(List<TunnelOwner> owners, TunnelOwner more) {
    int at = owners.size();
    while (at > 0 && owners.get(at - 1).sinceMicros > more.sinceMicros) {
      at--;
    }
    if (at == 0 || owners.get(at - 1).sinceMicros < more.sinceMicros) {
      owners.add(at, more);
    } else if (more.subscriber != null) {
      owners.set(at - 1, more);
    }
  }

  private static TunnelOwner last(List<TunnelOwner> owners) {
    return owners.get(owners.size() - 1);
  }

  private void expire() {
    Iterator<End> longest = gone.iterator();
    while (longest.hasNext()) {
      End end = longest.next();
      if (last(byEnd.get(end)).sinceMicros >= newestMicros - KEPT_MICROS) {
        break;
      }
      longest.remove();
      byEnd.remove(end);
    }
    while (byEnd.size() > max) {
      End oldest = byEnd.keySet().iterator().next();
      byEnd.remove(oldest);
      gone.remove(oldest);
      evicted++;
    }
  }

  /**
   * The subscriber of a flow with packets to this endpoint: the owner when the flow began, or else
   * the first one during the flow.
   *
   * @return null if unknown
   */
  public Subscriber find(long id, long high, long low, long begunMicros, long lastMicros) {
    Subscriber found = null;
    for (TunnelOwner owner : byEnd.getOrDefault(new End(id, high, low), List.of())) {
      if (owner.sinceMicros <= begunMicros) {
        found = owner.subscriber;
      } else if (found == null && owner.sinceMicros <= lastMicros) {
        found = owner.subscriber;
      }
    }
    return found;
  }

  /** Number of endpoints. */
  public int size() {
    return byEnd.size();
  }

  /** Number of evicted endpoints. */
  public long evicted() {
    return evicted;
  }

  /** Writes each endpoint after a marker byte into its key group. */
  public void write(int mark, KeyGroups groups, StateByGroup out) {
    byEnd.forEach(
        (end, owners) -> {
          BlockBuffer group = out.group(groups.groupOf(hash(end.id, end.high, end.low)));
          group.putByte(mark);
          group.putLong(end.id);
          group.putLong(end.high);
          group.putLong(end.low);
          group.putByte(owners.size());
          for (TunnelOwner one : owners) {
            group.putLong(one.sinceMicros);
            group.putByte(one.subscriber == null ? 0 : 1);
            (one.subscriber == null ? Subscriber.UNKNOWN : one.subscriber).write(group);
          }
        });
  }

  /** Restores an endpoint, after its marker. */
  public void restore(BlockInput in) {
    long id = in.takeLong();
    long high = in.takeLong();
    long low = in.takeLong();
    int count = in.takeByte();
    for (int i = 0; i < count; i++) {
      long since = in.takeLong();
      boolean isKnown = in.takeByte() != 0;
      Subscriber subscriber = Subscriber.read(in);
      setOwner(id, high, low, since, isKnown ? subscriber : null);
    }
  }
}
