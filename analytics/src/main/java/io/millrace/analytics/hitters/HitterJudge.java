package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.DETAILS;
import static io.millrace.analytics.hitters.HitterSettings.GROUPS;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Reports heavy hitters and heavy changers: merges the parallel counts of an epoch and a kind when
 * the watermark has passed the epoch.
 *
 * <p>Tables are kept as received bytes until then; merged tables are kept for one more epoch. Both
 * are immutable, so a checkpoint copies nothing. An epoch without traffic reports the changes to 0,
 * except at the end of the input. Rows of equal weight are ordered by key. Parts of reported epochs
 * are counted as {@code lateParts}.
 */
public final class HitterJudge implements KeyedAnalyzer<TableBlock, TableBlock> {
  private final HitterSettings settings;
  private final ColumnTexts texts;
  private final KindParts[] kinds;
  private final EpochJudge judge;
  private AnalyzerContext.Counter lateParts;

  /** An unopened analyzer of columns without texts. */
  public HitterJudge(HitterSettings settings) {
    this(settings, ColumnTexts.NONE);
  }

  /**
   * An unopened analyzer.
   *
   * @param texts of the columns that have them; the analyzer closes them
   */
  public HitterJudge(HitterSettings settings, ColumnTexts texts) {
    this.settings = settings;
    this.texts = texts;
    kinds = KindParts.none(settings);
    judge = new EpochJudge(settings, new HitterRows(settings, texts), kinds);
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
    KindParts.forEachOf(
        block,
        (epoch, kind, part) -> {
          KindParts.Part own =
              part.group == DETAILS
                  ? new KindParts.Part(settings.detailsGroup(kind), part.counts)
                  : part;
          if (!kinds[settings.countedFor(kind)].add(epoch, own)) {
            lateParts.add(1);
          }
        });
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    // All kinds of an epoch are evaluated together, since prefixes of one length use the counts of
    // other lengths.
    for (Long epoch = earliest();
        epoch != null && settings.isOver(epoch, micros);
        epoch = earliest()) {
      Long due = epoch;
      int[] judged =
          IntStream.range(0, kinds.length)
              .filter(i -> Objects.equals(next(kinds[i]), due))
              .toArray();
      for (int i : judged) {
        // At the end of the input the epoch after the last is not evaluated: all keys would have
        // changed to 0.
        if (micros < Long.MAX_VALUE || kinds[i].hasFrom(due)) {
          judge.judge(i, due, out);
        }
      }
      for (int i : judged) {
        kinds[i].judged(due);
      }
    }
    if (micros == Long.MAX_VALUE) {
      Arrays.setAll(kinds, i -> new KindParts());
    }
  }

  private Long earliest() {
    return Arrays.stream(kinds)
        .map(this::next)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private Long next(KindParts kind) {
    return kind.next(settings.epochMicros());
  }

  @Override
  public void close() {
    texts.close();
  }

  @Override
  public StateSnapshot snapshot() {
    Map<Integer, List<KindParts.Snapshot>> byGroup = new HashMap<>();
    KindParts.snapshots(settings, kinds)
        .forEach(
            (kind, state) ->
                byGroup
                    .computeIfAbsent(
                        KeyGroups.groupOf(settings.judgeHash(kind), GROUPS), g -> new ArrayList<>())
                    .add(state));
    return new Snapshot(byGroup);
  }

  @Override
  public void restore(int group, BlockInput in) {
    KindParts.restore(in, settings, kinds);
  }

  private record Snapshot(Map<Integer, List<KindParts.Snapshot>> byGroup) implements StateSnapshot {
    @Override
    public boolean isEmpty(int group) {
      return !byGroup.containsKey(group);
    }

    @Override
    public void write(int group, BlockBuffer out) {
      KindParts.write(byGroup.get(group), out);
    }
  }
}
