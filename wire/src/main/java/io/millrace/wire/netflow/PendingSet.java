package io.millrace.wire.netflow;

/** Compared by identity: equal bytes are still two sets. */
final class PendingSet {
  /**
   * Heap of a set in addition to its bytes: this object and the array's header (72), entries in the
   * order of arrival (48) and among those of its template (8), and, if it is the only one of its
   * template, the queue and its entry (112), and the set of waiting sessions with its entries
   * (290). More than the 26 bytes that it takes in a snapshot.
   */
  private static final int OVERHEAD = 400;

  /**
   * Heap of a session that has only waiting sets, with its sender, device and their entries: about
   * 1,700 bytes. Its first set pays for it.
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
