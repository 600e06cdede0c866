package io.millrace.wire.netflow;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * What one exporter process has told us and what we wait for: RFC 7011's transport session. Changes
 * only with the stream. Not thread-safe.
 */
final class Session {
  /** Number of the next IPFIX data record is not known. */
  static final long UNKNOWN = -1;

  /**
   * Who speaks.
   *
   * @param high upper half of the exporter's address
   * @param low lower half
   * @param port its UDP port
   * @param version 5, 9 or 10
   * @param domain its observation domain
   */
  record Key(long high, long low, int port, int version, int domain) {}

  /**
   * A data set that waits for its template, with what its message said of time.
   *
   * @param setId the template's id
   * @param arrivalMicros when it arrived
   * @param exportMicros when it was sent
   * @param uptime the exporter's uptime then, ms
   * @param bytes the records
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  record HeldSet(int setId, long arrivalMicros, long exportMicros, int uptime, byte[] bytes) {}

  final Key key;
  final Map<Integer, Template> templates = new HashMap<>();
  final SamplerTable samplers;

  /** Sampling rate of the domain by its options data; 0: not told. */
  int domainRate;

  /** When the exporter started, milliseconds since the epoch; -1: not told. */
  long systemInitMillis = -1;

  /** Number that the next IPFIX message should bear. */
  long nextSequence = UNKNOWN;

  /** When the IPFIX message with the highest number was sent, microseconds; 0: not known. */
  long newestMicros;

  /** Numbers of IPFIX data records that have not arrived; a late message may still bring them. */
  final SequenceGaps gaps = new SequenceGaps();

  /** In the order of arrival. */
  final ArrayDeque<HeldSet> held = new ArrayDeque<>();

  int heldBytes;

  Session(Key key, NetflowConfig config) {
    this.key = key;
    samplers = new SamplerTable(config.maxTemplates());
  }
}
