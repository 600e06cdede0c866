package io.millrace.wire.netflow;

import io.millrace.wire.block.KeyHash;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one exporter process has told us and what we wait for: RFC 7011's transport session. Changes
 * only with the stream. Not thread-safe.
 */
final class Session {
  /**
   * Who speaks.
   *
   * @param high upper half of the exporter's address
   * @param low lower half
   * @param port its UDP port
   * @param version 5, 9 or 10
   * @param domain its observation domain
   */
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

  /** Whose bounds it counts against; null as long as there is nothing to be kept. */
  Sender sender;

  /** When it was last heard of, microseconds, by arrival. */
  long usedMicros;

  /** By id; changed by {@link Sessions} alone. */
  final Map<Integer, Template> templates = new LinkedHashMap<>();

  /** All kept sessions of its address and version; null as long as none is kept. */
  Device device;

  final SamplerTable samplers = new SamplerTable();

  /** Rates by {@link RateScope} and number of what they are told of. */
  final SamplerTable scoped = new SamplerTable();

  /** Rates by the number of a cache. */
  final SamplerTable caches = new SamplerTable();

  /** Sampling rate of all records by options data; {@link Sampling#UNTOLD} if none told it. */
  int rateOfAll;

  /** When the exporter started, milliseconds since the epoch; -1: not told. */
  long systemInitMillis = -1;

  /** Numbers of IPFIX data records; those that have not arrived may still come. */
  final RecordSequence sequence = new RecordSequence();

  /** What the numbers count; null but for IPFIX. */
  final SequenceMeaning meaning;

  /**
   * Data sets by the id of the template that they wait for, in the order of arrival; changed by
   * {@link Sessions} alone.
   */
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

  /** Number of rates that it told. */
  int rates() {
    return samplers.size() + scoped.size() + caches.size();
  }

  /**
   * The rate that the session itself told; {@link Sampling#UNTOLD} if it told none, negative where
   * it told several and nothing says which is meant.
   */
  int rate(RateScope scope, long id) {
    return switch (scope) {
      case SAMPLER -> samplers.rate(id);
      case ONLY_SAMPLER -> samplers.only();
      case CACHE -> caches.only();
      case ALL -> rateOfAll;
      default -> scoped.rate(place(scope, id));
    };
  }

  /** Where a rate is in {@link #scoped}. */
  static long place(RateScope scope, long id) {
    return (long) scope.ordinal() << Integer.SIZE | id;
  }
}
