package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.COUNTS;
import static io.millrace.analytics.hitters.HitterSettings.DETAILS;
import static io.millrace.analytics.hitters.HitterSettings.EPOCH;
import static io.millrace.analytics.hitters.HitterSettings.GROUP;
import static io.millrace.analytics.hitters.HitterSettings.GROUPS;
import static io.millrace.analytics.hitters.HitterSettings.KIND;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.PrefixHitters;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.block.Texts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Says who is heavy, and who has changed most since the epoch before: joins what was counted in
 * parallel of an epoch and a kind when event time has passed the epoch.
 *
 * <p>Tables come as bytes and stay bytes until then, and for one epoch more; so a checkpoint copies
 * nothing. Of an epoch without any traffic the changes to nothing are told, but not where the input
 * ends. Rows of equal weight come in the order of their keys. Parts that come when their epoch was
 * judged are counted as {@code lateParts}.
 */
public final class HitterJudge implements KeyedAnalyzer<TableBlock, TableBlock> {
  /** Half the width of an interval of 95% of a normal distribution, in standard deviations. */
  private static final double DEVIATIONS = 1.96;

  private static final int VERSION = 1;

  /** Whichever way they have changed; of equal ones in the order of their keys. */
  private static final Comparator<Hitter> LARGEST_FIRST =
      Comparator.comparingLong((Hitter hitter) -> -Math.abs(hitter.estimate().value()))
          .thenComparing(hitter -> hitter.key().bytes(), Arrays::compareUnsigned);

  private final HitterSettings settings;
  private final ColumnTexts texts;
  private final HitterRows rows;
  private final Kind[] kinds;
  private AnalyzerContext.Counter lateParts;

  /**
   * A table as it came; or, behind the groups, details of the candidates of a kind: of the one in
   * place of which is counted, and the others that are made of its counts.
   */
  private static final class Part {
    final int group;
    final byte[] counts;

    Part(int group, byte[] counts) {
      this.group = group;
      this.counts = counts;
    }
  }

  /** What is known of all kinds that are made of the same counts. */
  private static final class Kind {
    /** Begin of the epoch that was judged last. */
    long judged = Long.MIN_VALUE;

    /** By the begin of the epoch: that one's, and those that are not over. */
    final TreeMap<Long, List<Part>> parts = new TreeMap<>();
  }

  /** An analyzer that is not opened, of columns without texts. */
  public HitterJudge(HitterSettings settings) {
    this(settings, ColumnTexts.NONE);
  }

  /**
   * An analyzer that is not opened.
   *
   * @param texts of the columns that have them; it closes them
   */
  public HitterJudge(HitterSettings settings, ColumnTexts texts) {
    this.settings = settings;
    this.texts = texts;
    rows = new HitterRows(settings, texts);
    kinds = new Kind[settings.kinds().size()];
    Arrays.setAll(kinds, i -> new Kind());
  }

  /** Columns of the results. */
  public static TableSchema schema() {
    return HitterRows.SCHEMA;
  }

  @Override
  public void open(AnalyzerContext context) {
    lateParts = context.counter("lateParts");
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> out) {
    Texts counts = block.texts(COUNTS);
    for (int row = 0; row < block.rows(); row++) {
      int number = (int) block.longs(KIND)[row];
      Kind kind = kinds[settings.countedFor(number)];
      long epoch = block.longs(EPOCH)[row];
      if (epoch <= kind.judged) {
        lateParts.add(1);
        continue;
      }
      int start = counts.start(row);
      byte[] bytes = Arrays.copyOfRange(counts.bytes(), start, start + counts.length(row));
      int group = (int) block.longs(GROUP)[row];
      boolean isDetails = group == DETAILS;
      add(kind, epoch, new Part(isDetails ? DETAILS + offset(number) : group, bytes));
    }
  }

  /** Which one of the kinds that are made of the same counts. */
  private int offset(int kind) {
    return kind - settings.countedFor(kind);
  }

  private static void add(Kind kind, long epoch, Part part) {
    kind.parts.computeIfAbsent(epoch, e -> new ArrayList<>()).add(part);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    // Epoch by epoch: prefixes of one length look at what was counted of the others.
    for (Long epoch = earliest();
        epoch != null && settings.isOver(epoch, micros);
        epoch = earliest()) {
      long due = epoch;
      int[] judged =
          IntStream.range(0, kinds.length)
              .filter(i -> next(kinds[i]) != null && next(kinds[i]) == due)
              .toArray();
      for (int i : judged) {
        // At the end of time nothing is said of the epoch behind the last one: nobody fell silent.
        if (micros < Long.MAX_VALUE || kinds[i].parts.lastKey() >= due) {
          judgeAll(i, due, out);
        }
      }
      for (int i : judged) {
        kinds[i].parts.headMap(due).clear();
        kinds[i].judged = due;
      }
    }
    if (micros == Long.MAX_VALUE) {
      Arrays.setAll(kinds, i -> new Kind());
    }
  }

  /** The first epoch that any kind is to be judged of; null for none. */
  private Long earliest() {
    return Arrays.stream(kinds)
        .map(this::next)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /** The next epoch to judge: the one behind the last, if there was traffic in either; or null. */
  private Long next(Kind kind) {
    return kind.parts.containsKey(kind.judged)
        ? Long.valueOf(kind.judged + settings.epochMicros())
        : kind.parts.higherKey(kind.judged);
  }

  /** Judges the kinds that are made of the same counts. */
  private void judgeAll(int counted, long epoch, Emitter<TableBlock> out) {
    CountTables now = tables(counted, epoch);
    Map<Integer, CountTables> read = new HashMap<>(Map.of(counted, now));
    CountTables before =
        kinds[counted].parts.containsKey(epoch - settings.epochMicros())
            ? tables(counted, epoch - settings.epochMicros())
            : null;
    for (int kind = counted; kind < kinds.length; kind++) {
      if (settings.countedFor(kind) == counted) {
        Map<Key, Long> own = own(settings.kinds().get(kind), epoch, read);
        judge(kind, epoch, of(kind, now), before == null ? null : of(kind, before), own, out);
      }
    }
  }

  private CountTables tables(int counted, long epoch) {
    CountTables tables = new CountTables(settings, counted);
    for (Part part : kinds[counted].parts.getOrDefault(epoch, List.of())) {
      if (part.group < DETAILS) {
        tables.add(settings, counted, part.group, part.counts);
      }
    }
    return tables;
  }

  private EpochCounts of(int kind, CountTables tables) {
    HitterKind own = settings.kinds().get(kind);
    return own.equals(tables.counted()) ? tables : new PartialCounts(own, tables, settings.seed());
  }

  /**
   * Tells what is heavy of a kind, or has changed.
   *
   * @param before null where nothing is known of the epoch before
   * @param below of prefixes what they have without those below
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
    int most = settings.threshold().most();
    // Of networks each one that is heavy is looked at, for what those in it leave.
    List<Hitter> heavy =
        kind.isNetworks() ? now.hitters(heavyFrom) : now.heaviest(heavyFrom, most);
    List<Hitter> changed = List.of();
    if (before != null) {
      long changedFrom = settings.threshold().of(Math.max(now.total(), before.total()));
      changed =
          kind.isNetworks()
              ? Networks.ownChanges(now.changers(before, changedFrom), changedFrom)
              : now.changers(before, changedFrom, most);
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
    Map<Key, EpochCounts.Known> known = now.known(keys);
    Map<Key, CandidateDetails> details = details(number, epoch);
    TableBlock block = new TableBlock(schema(), keys.size());
    for (Key key : keys) {
      EpochCounts.Known each = known.get(key);
      double variance = (double) each.variance() * settings.measure().varianceUnit();
      rows.add(
          block,
          epoch,
          kind,
          now.total(),
          new HitterRows.Reported(
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
    int group = DETAILS + offset(kind);
    for (Part part : kinds[settings.countedFor(kind)].parts.getOrDefault(epoch, List.of())) {
      if (part.group == group) {
        BlockInput in = new BlockInput(part.counts, 0, part.counts.length);
        Candidates.merge(in, settings.kinds().get(kind), details);
      }
    }
    return details;
  }

  /**
   * Of prefixes of an address, where they are counted by several lengths: what the heavy ones have
   * without those below, as far as that is heavy itself.
   *
   * @param read tables of the epoch, to which those are added that are read
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
          now.heaviest(threshold, settings.threshold().most()).stream()
              .sorted(LARGEST_FIRST)
              .limit(settings.threshold().most())
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

  /** The largest of what was found, from 1 on. */
  private Map<Key, Long> ranks(List<Hitter> found) {
    Map<Key, Long> ranks = new LinkedHashMap<>();
    found.stream()
        .sorted(LARGEST_FIRST)
        .limit(settings.threshold().most())
        .forEach(each -> ranks.put(each.key(), ranks.size() + 1L));
    return ranks;
  }

  @Override
  public void close() {
    texts.close();
  }

  @Override
  public StateSnapshot snapshot() {
    Map<Integer, List<KindState>> byGroup = new HashMap<>();
    for (int i = 0; i < kinds.length; i++) {
      if (kinds[i].judged != Long.MIN_VALUE || !kinds[i].parts.isEmpty()) {
        byGroup
            .computeIfAbsent(
                KeyGroups.groupOf(settings.judgeHash(i), GROUPS), g -> new ArrayList<>())
            .add(KindState.of(settings.countedIdentities().get(i), kinds[i]));
      }
    }
    return new Snapshot(byGroup);
  }

  @Override
  public void restore(int group, BlockInput in) {
    int version = in.takeByte();
    if (version != VERSION) {
      throw in.broken("epochs of hitters of version " + version + ", this release reads 1");
    }
    List<String> identities = settings.countedIdentities();
    for (int states = in.takeInt(); states > 0; states--) {
      int length = in.takeInt();
      int i =
          identities.indexOf(
              new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8));
      Kind kind = i < 0 ? new Kind() : kinds[i]; // of other settings: read, and forgotten
      kind.judged = in.takeLong();
      for (int parts = in.takeInt(); parts > 0; parts--) {
        long epoch = in.takeLong();
        int own = in.takeByte();
        int bytes = in.takeInt();
        int at = in.take(bytes);
        add(kind, epoch, new Part(own, Arrays.copyOfRange(in.bytes(), at, at + bytes)));
      }
    }
  }

  /**
   * A kind at one moment: the list is a copy, and the parts nobody changes.
   *
   * @param parts each behind its epoch
   */
  private record KindState(String identity, long judged, List<Map.Entry<Long, Part>> parts) {
    static KindState of(String identity, Kind kind) {
      List<Map.Entry<Long, Part>> parts = new ArrayList<>();
      kind.parts.forEach((epoch, all) -> all.forEach(part -> parts.add(Map.entry(epoch, part))));
      return new KindState(identity, kind.judged, parts);
    }

    void write(BlockBuffer out) {
      byte[] name = identity.getBytes(StandardCharsets.UTF_8);
      out.putInt(name.length);
      out.put(name, 0, name.length);
      out.putLong(judged);
      out.putInt(parts.size());
      for (Map.Entry<Long, Part> part : parts) {
        byte[] counts = part.getValue().counts;
        out.putLong(part.getKey());
        out.putByte(part.getValue().group);
        out.putInt(counts.length);
        out.put(counts, 0, counts.length);
      }
    }
  }

  private record Snapshot(Map<Integer, List<KindState>> byGroup) implements StateSnapshot {
    @Override
    public boolean isEmpty(int group) {
      return !byGroup.containsKey(group);
    }

    @Override
    public void write(int group, BlockBuffer out) {
      List<KindState> states = byGroup.get(group);
      out.putByte(VERSION);
      out.putInt(states.size());
      states.forEach(state -> state.write(out));
    }
  }
}
