package io.millrace.wire.pcap;

import io.millrace.wire.block.KeyHash;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.packet.PacketRejects;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reassembly of IP fragments (RFC 791 section 3.2, RFC 8200 section 4.5).
 *
 * <p>Fragments may arrive in any order; duplicates are ignored. A fragment that contradicts known
 * bytes or lengths invalidates the whole datagram, for IPv4 like for IPv6 (RFC 5722): it is
 * dropped, and its later fragments are ignored.
 *
 * <p>At most {@value #MAX_DATAGRAMS} datagrams and {@value #MAX_BYTES} bytes wait, and a quarter of
 * both per source; the oldest of the source, or of all, are evicted first. A datagram that began
 * more than {@value #MAX_AGE_MICROS} µs of capture time ago is not continued, since its
 * identification is assumed to be reused.
 */
final class FragmentTable {
  static final int MAX_DATAGRAMS = 1024;
  static final int MAX_BYTES = 16 << 20;
  static final long MAX_AGE_MICROS = 30_000_000;

  static final int SOURCE_SHARE = 4;

  private static final int UNIT = 8;
  private static final int MAX_DATAGRAM_LENGTH = 65_535;

  private record Key(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int identification,
      int protocol) {}

  private static final class Source {
    private final Map<Key, Partial> partials = new LinkedHashMap<>();
    private long heldBytes;
  }

  static final class Partial {
    private final Key key;
    private final Source source;
    private final long begunMicros;
    private final BitSet filled = new BitSet(); // units of 8 bytes
    private boolean contradictory;
    byte[] bytes = new byte[4096];
    int length = -1; // until the last fragment arrives
    int protocol = -1; // until the first fragment arrives
    int packets; // received fragments, including repeated ones
    int packetBytes; // of these, headers included
    int firstBytes; // of the first in the packet's order
    boolean isInnerShown; // whether the first inner fragment was shown

    private Partial(Key key, Source source, long begunMicros) {
      this.key = key;
      this.source = source;
      this.begunMicros = begunMicros;
    }
  }

  // In order of their start, oldest first.
  private final Map<Key, Partial> partials = new LinkedHashMap<>();
  private final Map<Long, Source> sources = new HashMap<>();
  private final PacketRejects rejects;
  private long heldBytes;
  private Partial current;

  FragmentTable(PacketRejects rejects) {
    this.rejects = rejects;
  }

  /** Returns the datagram if this fragment completed it, owned by the caller; otherwise null. */
  Partial add(IpHeader ip, long timeMicros, byte[] bytes) {
    int length = ip.end - ip.payload;
    int end = ip.fragmentOffset + length;
    boolean sound = length > 0 && end <= MAX_DATAGRAM_LENGTH;
    if (!sound || ip.truncated || (ip.moreFragments && length % UNIT != 0)) {
      rejects.add(PacketReject.BAD_FRAGMENT);
      current = null;
      return null;
    }
    // The protocol is part of the key in IPv4 only: later IPv6 fragments may have another one.
    Key key =
        new Key(
            ip.sourceHigh,
            ip.sourceLow,
            ip.destinationHigh,
            ip.destinationLow,
            ip.identification,
            ip.v6 ? -1 : ip.protocol);
    Partial partial = find(key, timeMicros);
    current = partial;
    partial.packets++;
    partial.packetBytes += ip.length;
    partial.firstBytes = ip.fragmentOffset == 0 ? ip.length : partial.firstBytes;
    if (partial.contradictory) {
      return null;
    }
    if (!fill(partial, ip, bytes, length)) {
      rejects.add(PacketReject.CONTRADICTING_FRAGMENTS);
      partial.contradictory = true;
      release(partial);
      return null;
    }
    if (isWhole(partial)) {
      remove(partial);
      hold(partial, -partial.bytes.length);
      return partial;
    }
    makeRoom(partial);
    return null;
  }

  /** Datagram of the last fragment; null if that was rejected. */
  Partial current() {
    return current;
  }

  private Partial find(Key key, long timeMicros) {
    Partial partial = partials.get(key);
    if (partial != null && Math.abs(timeMicros - partial.begunMicros) > MAX_AGE_MICROS) {
      remove(partial);
      drop(partial);
      partial = null;
    }
    if (partial == null) {
      long source = KeyHash.of(key.sourceHigh, key.sourceLow);
      partial = new Partial(key, sources.computeIfAbsent(source, none -> new Source()), timeMicros);
      partials.put(key, partial);
      partial.source.partials.put(key, partial);
      hold(partial, partial.bytes.length);
    }
    return partial;
  }

  private void remove(Partial partial) {
    partials.remove(partial.key);
    partial.source.partials.remove(partial.key);
    if (partial.source.partials.isEmpty()) {
      sources.remove(KeyHash.of(partial.key.sourceHigh, partial.key.sourceLow), partial.source);
    }
  }

  private void hold(Partial partial, int bytes) {
    heldBytes += bytes;
    partial.source.heldBytes += bytes;
  }

  private boolean fill(Partial partial, IpHeader ip, byte[] bytes, int length) {
    int from = ip.fragmentOffset;
    int end = from + length;
    boolean last = !ip.moreFragments;
    BitSet filled = partial.filled;
    if (partial.length >= 0
        ? contradictsLength(partial, end, last)
        : last && filled.length() * UNIT > end) {
      return false;
    }
    int firstUnit = from / UNIT;
    int endUnit = units(end);
    if (filled.nextClearBit(firstUnit) >= endUnit) {
      if (!Arrays.equals(partial.bytes, from, end, bytes, ip.payload, ip.end)) {
        return false;
      }
    } else {
      int taken = filled.nextSetBit(firstUnit);
      if (taken >= 0 && taken < endUnit) {
        return false;
      }
      grow(partial, end);
      System.arraycopy(bytes, ip.payload, partial.bytes, from, length);
      filled.set(firstUnit, endUnit);
    }
    if (last) {
      partial.length = end;
    }
    if (from == 0) {
      partial.protocol = ip.protocol;
    }
    return true;
  }

  private static boolean contradictsLength(Partial partial, int end, boolean last) {
    return last ? end != partial.length : end > partial.length;
  }

  private void grow(Partial partial, int end) {
    int held = partial.bytes.length;
    if (end > held) {
      int grown = Math.max(end, Math.min(2 * held, MAX_DATAGRAM_LENGTH));
      partial.bytes = Arrays.copyOf(partial.bytes, grown);
      hold(partial, grown - held);
    }
  }

  private static int units(int bytes) {
    return (bytes + UNIT - 1) / UNIT;
  }

  private static boolean isWhole(Partial partial) {
    return partial.length >= 0
        && partial.protocol >= 0
        && partial.filled.cardinality() == units(partial.length);
  }

  private void makeRoom(Partial newest) {
    Source own = newest.source;
    while (own.partials.size() > MAX_DATAGRAMS / SOURCE_SHARE
        || own.heldBytes > MAX_BYTES / SOURCE_SHARE) {
      evict(own.partials, newest);
    }
    while (partials.size() > MAX_DATAGRAMS || heldBytes > MAX_BYTES) {
      evict(partials, newest);
    }
  }

  private void evict(Map<Key, Partial> from, Partial newest) {
    Iterator<Partial> oldest = from.values().iterator();
    Partial next = oldest.next();
    Partial evicted = next == newest ? oldest.next() : next;
    remove(evicted);
    drop(evicted);
  }

  private void drop(Partial partial) {
    if (!partial.contradictory) {
      rejects.add(PacketReject.MISSING_FRAGMENTS);
    }
    release(partial);
  }

  private void release(Partial partial) {
    hold(partial, -partial.bytes.length);
    partial.bytes = new byte[0];
  }
}
