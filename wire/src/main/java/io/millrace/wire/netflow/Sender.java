package io.millrace.wire.netflow;

import io.millrace.wire.block.KeyHash;
import java.util.LinkedHashMap;
import java.util.Map;

/** One sender's usage of the limits: an IPv4 address, or the /64 of an IPv6 address. */
final class Sender {
  record Key(long high, long low) {
    @Override
    public int hashCode() {
      return (int) KeyHash.of(high, low);
    }
  }

  final Key key;

  /** Its sessions with templates, least recently used first. */
  final Map<Session.Key, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);

  int templateWeight;

  int rates;

  /** Memory of its waiting data in bytes, see {@link PendingSet#cost}. */
  int heldBytes;

  Sender(Key key) {
    this.key = key;
  }

  boolean hasNothing() {
    return sessions.isEmpty() && heldBytes == 0;
  }
}
