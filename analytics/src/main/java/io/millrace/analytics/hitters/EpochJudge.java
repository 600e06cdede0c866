package io.millrace.analytics.hitters;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.PrefixHitters;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reports the heavy keys of an epoch and the keys that have changed most since the previous epoch.
 */
final class EpochJudge {
  /** Half the width of a 95% interval of a normal distribution, in standard deviations. */
  private static final double DEVIATIONS = 1.96;

  private static final Comparator<Hitter> LARGEST_FIRST =
      Comparator.comparingLong((Hitter hitter) -> -Math.abs(hitter.estimate().value()))
          .thenComparing(hitter -> hitter.key().bytes(), Arrays::compareUnsigned);

  private final HitterSettings settings;
  private final HitterRows rows;
  private final KindParts[] kinds;

  EpochJudge(HitterSettings settings, HitterRows rows, KindParts[] kinds) {
    this.settings = settings;
    this.rows = rows;
    this.kinds = kinds;
  }

  void judge(int counted, long epoch, Emitter<TableBlock> out) {
    long last = epoch - settings.epochMicros();
    CountTables before = kinds[counted].has(last) ? tables(counted, last) : null;
    CountTables now = tables(counted, epoch);
    kinds[counted].read(epoch, now);
    Map<Integer, CountTables> read = new HashMap<>(Map.of(counted, now));
    for (int kind = counted; kind < kinds.length; kind++) {
      if (settings.countedFor(kind) == counted) {
        Map<Key, Long> own = own(settings.kinds().get(kind), epoch, read);
        judge(kind, epoch, of(kind, now), before == null ? null : of(kind, before), own, out);
      }
    }
  }

  private CountTables tables(int counted, long epoch) {
    CountTables known = kinds[counted].tables(epoch);
    if (known != null) {
      return known;
    }
    return new CountTables(settings, counted, settings.seed(), kinds[counted].of(epoch));
  }

  private EpochCounts of(int kind, CountTables tables) {
    HitterKind own = settings.kinds().get(kind);
    return own.equals(tables.counted()) ? tables : new PartialCounts(own, tables, settings.seed());
  }

  /**
   * Reports the heavy and changed keys of a kind.
   *
   * @param before previous epoch; null if unknown
   * @param below weights of prefixes without heavy longer prefixes
   */
  private void judge(
      int number,
      long epoch,
      EpochCounts now,
      EpochCounts before,
      Map<Key, Long> below,
      Emitter<TableBlock> out) {
    HitterKind kind = settings.kinds().get(number);
    long heavyFrom = settings.threshold().of(now.total());
    int max = settings.threshold().max();
    // All heavy networks are needed, since the weights of networks inside them are subtracted.
    List<Hitter> heavy = kind.isNetworks() ? now.hitters(heavyFrom) : now.heaviest(heavyFrom, max);
    List<Hitter> changed = List.of();
    if (before != null) {
      long changedFrom = settings.threshold().of(Math.max(now.total(), before.total()));
      changed =
          kind.isNetworks()
              ? Networks.ownChanges(now.changers(before, changedFrom), changedFrom)
              : now.changers(before, changedFrom, max);
    }
    Map<Key, Long> own = kind.isNetworks() ? Networks.own(heavy, heavyFrom) : below;
    heavy = kind.isNetworks() ? Networks.with(own) : heavy;

    Map<Key, Long> ranks = ranks(heavy);
    Map<Key, Long> changeRanks = ranks(changed);
    Set<Key> keys = new LinkedHashSet<>(ranks.keySet());
    keys.addAll(changeRanks.keySet());
    if (keys.isEmpty()) {
      return;
    }
    Map<Key, EpochCounts.KeyEstimate> known = now.known(keys);
    Map<Key, CandidateDetails> details = details(number, epoch);
    TableBlock block = new TableBlock(HitterRows.SCHEMA, keys.size());
    for (Key key : keys) {
      EpochCounts.KeyEstimate each = known.get(key);
      double variance = (double) each.variance() * settings.measure().varianceUnit();
      rows.add(
          block,
          epoch,
          kind,
          now.total(),
          new HitterRows.ReportedKey(
              key,
              ranks.getOrDefault(key, TableBlock.NULL),
              changeRanks.getOrDefault(key, TableBlock.NULL),
              each.estimate(),
              (long) Math.ceil(DEVIATIONS * Math.sqrt(variance)),
              before == null ? TableBlock.NULL : before.value(key),
              own.getOrDefault(key, TableBlock.NULL),
              each.algorithm(),
              details.get(key)));
    }
    out.emit(block);
  }

  private Map<Key, CandidateDetails> details(int kind, long epoch) {
    Map<Key, CandidateDetails> details = new HashMap<>();
    int group = settings.detailsGroup(kind);
    for (KindParts.Part part : kinds[settings.countedFor(kind)].of(epoch)) {
      if (part.group == group) {
        BlockInput in = new BlockInput(part.counts, 0, part.counts.length);
        Candidates.merge(in, settings.kinds().get(kind), details);
      }
    }
    return details;
  }

  /**
   * Weights of heavy prefixes without those of heavy longer prefixes, for addresses counted by
   * several lengths.
   *
   * @param read tables of the epoch; receives those read here
   */
  private Map<Key, Long> own(HitterKind kind, long epoch, Map<Integer, CountTables> read) {
    Map<Key, Long> own = new HashMap<>();
    List<HitterKind> hierarchy = settings.hierarchy(kind);
    if (hierarchy.size() < 2) {
      return own;
    }
    Map<HitterKind, List<Hitter>> heavy = new HashMap<>();
    long threshold = 1;
    for (HitterKind each : hierarchy) {
      int other = settings.kinds().indexOf(each);
      CountTables tables =
          read.computeIfAbsent(settings.countedFor(other), counted -> tables(counted, epoch));
      EpochCounts now = of(other, tables);
      threshold = settings.threshold().of(now.total());
      heavy.put(
          each,
          now.heaviest(threshold, settings.threshold().max()).stream()
              .sorted(LARGEST_FIRST)
              .limit(settings.threshold().max())
              .toList());
    }
    for (boolean isV4 : new boolean[] {true, false}) {
      Map<Key, HitterKind> masks = new LinkedHashMap<>();
      hierarchy.forEach(each -> masks.put(each.mask(isV4), each));
      PrefixHitters.find(
              List.copyOf(masks.keySet()),
              mask ->
                  heavy.get(masks.get(mask)).stream()
                      .filter(hitter -> HitterKind.isV4(hitter.key()) == isV4)
                      .toList(),
              threshold)
          .stream()
          .filter(each -> each.mask().equals(kind.mask(isV4)))
          .forEach(each -> own.put(each.prefix(), each.own().value()));
    }
    return own;
  }

  private Map<Key, Long> ranks(List<Hitter> found) {
    Map<Key, Long> ranks = new LinkedHashMap<>();
    found.stream()
        .sorted(LARGEST_FIRST)
        .limit(settings.threshold().max())
        .forEach(each -> ranks.put(each.key(), ranks.size() + 1L));
    return ranks;
  }
}
