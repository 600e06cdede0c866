package io.millrace.wire.netflow;

import io.millrace.wire.block.KeyHash;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one sender has of the decoder's bounds: an IPv4 address, or the /64 of an IPv6 address, with
 * all its ports and observation domains. Is forgotten with the last of it. Not thread-safe.
 */
final class Sender {
  /**
   * Who it is.
   *
   * @param high upper half of the address
   * @param low lower half, as {@link io.millrace.wire.block.Addresses#senderLow} gives it
   */
  record Key(long high, long low) {
    @Override
    public int hashCode() {
      return (int) KeyHash.of(high, low);
    }
  }

  final Key key;

  /** Its sessions that have templates, the one unused for longest first. */
  final Map<Session.Key, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);

  /** Weight of the templates of its sessions. */
  int templateWeight;

  /** Sampling rates that its sessions told in options data. */
  int rates;

  /** What its waiting data takes, see {@link PendingSet#cost}. */
  int heldBytes;

  Sender(Key key) {
    this.key = key;
  }

  boolean hasNothing() {
    return sessions.isEmpty() && heldBytes == 0;
  }
}
