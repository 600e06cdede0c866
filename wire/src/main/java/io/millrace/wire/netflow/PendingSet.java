package io.millrace.wire.netflow;

/**
 * A data set that waits for its template, with what its message said of time. Equal to itself only,
 * since two sets of the same bytes are two sets.
 */
final class PendingSet {
  /**
   * Heap that a set takes beside its bytes: this object and the array's head (72), its places in
   * the order of arrival (48) and among those of its template (8), and where it is the only one of
   * its template, the queue and its entry (112), and the set of those that wait for it with its
   * entries (290). More than the 26 bytes that it takes in a snapshot.
   */
  private static final int OVERHEAD = 400;

  /**
   * Heap of a session that has nothing but waiting sets, with its sender, its device and their
   * entries: about 1,700 bytes. The first of them pays for it.
   */
  private static final int SESSION = 2048;

  final Session session;
  final int setId;
  final long arrivalMicros;
  final long exportMicros;

  /** The exporter's uptime when it was sent, ms. */
  final int uptime;

  /** The records. */
  final byte[] bytes;

  PendingSet(
      Session session, int setId, long arrivalMicros, long exportMicros, int uptime, byte[] bytes) {
    this.session = session;
    this.setId = setId;
    this.arrivalMicros = arrivalMicros;
    this.exportMicros = exportMicros;
    this.uptime = uptime;
    this.bytes = bytes;
  }

  /** Bytes of heap that it takes; in a snapshot it takes less. */
  int cost() {
    return OVERHEAD + bytes.length;
  }

  /** What the session takes while sets wait in it. */
  static int sessionCost() {
    return SESSION;
  }
}
