package io.millrace.wire.netflow;

import io.millrace.wire.block.KeyHash;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** State of one exporter process: RFC 7011's transport session. */
final class Session {
  record Key(long high, long low, int port, int version, int domain) {
    @Override
    public int hashCode() {
      long channel = ((long) port << Byte.SIZE) ^ version;
      return (int) KeyHash.with(KeyHash.with(KeyHash.of(high, low), channel), domain);
    }

    boolean is(long high, long low, int port, int version, int domain) {
      return this.low == low
          && this.high == high
          && this.port == port
          && this.version == version
          && this.domain == domain;
    }
  }

  final Key key;

  /** Sender whose quota applies; null while the session has no state. */
  Sender sender;

  /** Last arrival, microseconds since the epoch. */
  long usedMicros;

  /** By id; changed by {@link Sessions} only. */
  final Map<Integer, Template> templates = new LinkedHashMap<>();

  /** All sessions of its address and version; null while none has state. */
  Device device;

  final SamplerTable samplers = new SamplerTable();

  final SamplerTable scoped = new SamplerTable();

  final SamplerTable caches = new SamplerTable();

  /** Rate of all records from options data; {@link Sampling#UNKNOWN} if there is none. */
  int rateOfAll;

  /** Start of the exporter, milliseconds since the epoch; -1: unknown. */
  long systemInitMillis = -1;

  final RecordSequence sequence = new RecordSequence();

  /** Null except for IPFIX. */
  final SequenceMeaning meaning;

  /** By the awaited template's id, in order of arrival; changed by {@link Sessions} only. */
  final Map<Integer, ArrayDeque<PendingSet>> held = new HashMap<>();

  Session(Key key) {
    this.key = key;
    meaning =
        key.version == NetflowLayout.VERSION_IPFIX
            ? new SequenceMeaning(SequenceMeaning.RECORDS)
            : null;
  }

  boolean isOfDomain(Session other) {
    return key.domain() == other.key.domain();
  }

  int rates() {
    return samplers.size() + scoped.size() + caches.size();
  }

  /** The session's own rate; {@link Sampling#UNKNOWN} if it has none, negative if ambiguous. */
  int rate(RateScope scope, long id) {
    return switch (scope) {
      case SAMPLER -> samplers.rate(id);
      case ONLY_SAMPLER -> samplers.only();
      case CACHE -> caches.only();
      case ALL -> rateOfAll;
      default -> scoped.rate(place(scope, id));
    };
  }

  static long place(RateScope scope, long id) {
    return (long) scope.ordinal() << Integer.SIZE | id;
  }
}
