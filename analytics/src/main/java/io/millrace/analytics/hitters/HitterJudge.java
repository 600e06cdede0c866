package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.COUNTS;
import static io.millrace.analytics.hitters.HitterSettings.EPOCH;
import static io.millrace.analytics.hitters.HitterSettings.GROUP;
import static io.millrace.analytics.hitters.HitterSettings.GROUPS;
import static io.millrace.analytics.hitters.HitterSettings.KIND;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.sketch.Adaptive;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.PrefixHitters;
import io.millrace.wire.block.Addresses;
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
import java.util.List;
import java.util.Map;
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

  private static final Comparator<Found> LARGEST_FIRST =
      Comparator.comparingLong((Found found) -> -Math.abs(found.hitter().estimate().value()))
          .thenComparing(found -> found.hitter().key().bytes(), Arrays::compareUnsigned);

  private final HitterSettings settings;
  private final ColumnTexts texts;
  private final HitterRows rows;
  private final Kind[] kinds;
  private AnalyzerContext.Counter lateParts;

  /** A table as it came. */
  private static final class Part {
    final int group;
    final byte[] counts;

    Part(int group, byte[] counts) {
      this.group = group;
      this.counts = counts;
    }
  }

  /** What is reported of a group. */
  private record Found(int group, Hitter hitter) {}

  /** What is known of a kind. */
  private static final class Kind {
    /** Begin of the epoch that was judged last. */
    long judged = Long.MIN_VALUE;

    /** By the begin of the epoch: that one's, and those that are not over. */
    final TreeMap<Long, List<Part>> parts = new TreeMap<>();
  }

  /** All tables of an epoch, by group. */
  private static final class Tables {
    final SampledCounts[] groups = new SampledCounts[GROUPS];
    final Map<Key, CandidateDetails> details = new HashMap<>();
    final SampledCounts empty;
    long total;

    Tables(HitterSettings settings, HitterKind kind, List<Part> parts) {
      empty = new SampledCounts(settings, kind, settings.seed());
      for (Part part : parts) {
        if (part.group == HitterSettings.DETAILS) {
          Candidates.merge(new BlockInput(part.counts, 0, part.counts.length), kind, details);
          continue;
        }
        SampledCounts counts = new SampledCounts(settings, kind, settings.seed());
        counts.read(new BlockInput(part.counts, 0, part.counts.length));
        if (groups[part.group] == null) {
          groups[part.group] = counts;
        } else {
          groups[part.group].merge(counts);
        }
        total += counts.weights().total();
      }
    }

    SampledCounts group(int group) {
      return groups[group] == null ? empty : groups[group];
    }

    Adaptive weights(int group) {
      return group(group).weights();
    }

    /** The largest keys of all groups that reach a threshold. */
    List<Hitter> heaviest(long threshold, int most) {
      return IntStream.range(0, GROUPS)
          .mapToObj(group -> weights(group).hitters(threshold))
          .flatMap(List::stream)
          .sorted(Comparator.comparingLong(hitter -> -hitter.estimate().value()))
          .limit(most)
          .toList();
    }
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
      Kind kind = kinds[(int) block.longs(KIND)[row]];
      long epoch = block.longs(EPOCH)[row];
      if (epoch <= kind.judged) {
        lateParts.add(1);
        continue;
      }
      int start = counts.start(row);
      byte[] bytes = Arrays.copyOfRange(counts.bytes(), start, start + counts.length(row));
      add(kind, epoch, new Part((int) block.longs(GROUP)[row], bytes));
    }
  }

  private static void add(Kind kind, long epoch, Part part) {
    kind.parts.computeIfAbsent(epoch, e -> new ArrayList<>()).add(part);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    for (int i = 0; i < kinds.length; i++) {
      Kind kind = kinds[i];
      Long epoch = next(kind);
      while (epoch != null && settings.isOver(epoch, micros)) {
        if (micros < Long.MAX_VALUE || kind.parts.containsKey(epoch)) {
          judge(settings.kinds().get(i), kind, epoch, out);
        }
        kind.parts.headMap(epoch).clear();
        kind.judged = epoch;
        epoch = next(kind);
      }
      if (micros == Long.MAX_VALUE) {
        kind.parts.clear();
        kind.judged = Long.MIN_VALUE;
      }
    }
  }

  /** The next epoch to judge: the one behind the last, if there was traffic in either; or null. */
  private Long next(Kind kind) {
    return kind.parts.containsKey(kind.judged)
        ? Long.valueOf(kind.judged + settings.epochMicros())
        : kind.parts.higherKey(kind.judged);
  }

  private void judge(HitterKind kind, Kind known, long epoch, Emitter<TableBlock> out) {
    Tables now = new Tables(settings, kind, known.parts.getOrDefault(epoch, List.of()));
    List<Part> partsBefore = known.parts.get(epoch - settings.epochMicros());
    boolean hasBefore = partsBefore != null;
    Tables before = new Tables(settings, kind, hasBefore ? partsBefore : List.of());

    List<Found> heavy = new ArrayList<>();
    List<Found> changed = new ArrayList<>();
    long heavyFrom = settings.threshold().of(now.total);
    long changedFrom = settings.threshold().of(Math.max(now.total, before.total));
    for (int group = 0; group < GROUPS; group++) {
      int own = group;
      now.weights(group).hitters(heavyFrom).forEach(hitter -> heavy.add(new Found(own, hitter)));
      if (hasBefore) {
        now.weights(group)
            .changers(before.weights(group), changedFrom)
            .forEach(hitter -> changed.add(new Found(own, hitter)));
      }
    }
    Map<Key, Long> own = own(kind, epoch);
    Map<Key, Integer> groups = new LinkedHashMap<>();
    Map<Key, Long> ranks = ranks(heavy, groups);
    Map<Key, Long> changeRanks = ranks(changed, groups);
    TableBlock block = new TableBlock(schema(), groups.size());
    groups.forEach(
        (key, group) -> {
          double variance =
              (double) now.group(group).variance(key) * settings.measure().varianceUnit();
          rows.add(
              block,
              epoch,
              kind,
              now.total,
              new HitterRows.Reported(
                  key,
                  ranks.getOrDefault(key, TableBlock.NULL),
                  changeRanks.getOrDefault(key, TableBlock.NULL),
                  now.weights(group).estimate(key),
                  (long) Math.ceil(DEVIATIONS * Math.sqrt(variance)),
                  hasBefore ? before.weights(group).estimate(key).value() : TableBlock.NULL,
                  own.getOrDefault(key, TableBlock.NULL),
                  now.weights(group).algorithm().label(),
                  now.details.get(key)));
        });
    if (block.rows() > 0) {
      out.emit(block);
    }
  }

  /**
   * Of prefixes of an address, where they are counted by several lengths: what the heavy ones have
   * without those below, as far as that is heavy itself.
   */
  private Map<Key, Long> own(HitterKind kind, long epoch) {
    Map<Key, Long> own = new HashMap<>();
    List<HitterKind> hierarchy = settings.hierarchy(kind);
    if (hierarchy.size() < 2) {
      return own;
    }
    Map<HitterKind, List<Hitter>> heavy = new HashMap<>();
    long threshold = 1;
    for (HitterKind each : hierarchy) {
      Kind counted = kinds[settings.kinds().indexOf(each)];
      Tables now = new Tables(settings, each, counted.parts.getOrDefault(epoch, List.of()));
      threshold = settings.threshold().of(now.total);
      heavy.put(each, now.heaviest(threshold, settings.threshold().most()));
    }
    for (boolean isV4 : new boolean[] {true, false}) {
      Map<Key, HitterKind> masks = new LinkedHashMap<>();
      hierarchy.forEach(each -> masks.put(each.mask(isV4), each));
      PrefixHitters.find(
              List.copyOf(masks.keySet()),
              mask ->
                  heavy.get(masks.get(mask)).stream()
                      .filter(hitter -> isV4(hitter.key()) == isV4)
                      .toList(),
              threshold)
          .stream()
          .filter(each -> each.mask().equals(kind.mask(isV4)))
          .forEach(each -> own.put(each.prefix(), each.own().value()));
    }
    return own;
  }

  private static boolean isV4(Key address) {
    return Addresses.isV4(address.word(0), address.word(1));
  }

  /** The largest of what was found, from 1 on; and of each its group. */
  private Map<Key, Long> ranks(List<Found> found, Map<Key, Integer> groups) {
    Map<Key, Long> ranks = new LinkedHashMap<>();
    found.stream()
        .sorted(LARGEST_FIRST)
        .limit(settings.threshold().most())
        .forEach(
            each -> {
              ranks.put(each.hitter().key(), ranks.size() + 1L);
              groups.put(each.hitter().key(), each.group());
            });
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
        HitterKind kind = settings.kinds().get(i);
        byGroup
            .computeIfAbsent(
                KeyGroups.groupOf(settings.judgeHash(kind), GROUPS), g -> new ArrayList<>())
            .add(KindState.of(settings.identity(kind), kinds[i]));
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
    List<String> identities = settings.kinds().stream().map(settings::identity).toList();
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
