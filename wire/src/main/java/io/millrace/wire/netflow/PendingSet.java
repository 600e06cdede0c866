package io.millrace.wire.netflow;

/**
 * A data set that waits for its template. Compared by identity, since equal bytes may be two sets.
 */
final class PendingSet {
  /**
   * Heap of a set in addition to its bytes: this object and the array's header (72), its entries in
   * the order of arrival (48) and in its template's queue (8). If it is the only one of its
   * template, also the queue and its entry (112), and the set of waiting sessions with its entries
   * (290). In a snapshot it takes only 26 bytes.
   */
  private static final int OVERHEAD = 400;

  /**
   * Heap of a session that has only waiting sets, with its sender, device and their entries: about
   * 1,700 bytes. It is charged to the first set.
   */
  private static final int SESSION = 2048;

  final Session session;
  final int setId;
  final long arrivalMicros;
  final long exportMicros;

  /** Exporter's uptime at export, ms. */
  final int uptime;

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

  /** Bytes of heap; a snapshot takes less. */
  int cost() {
    return OVERHEAD + bytes.length;
  }

  static int sessionCost() {
    return SESSION;
  }
}
