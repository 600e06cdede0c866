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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Says who is heavy, and who has changed most since the epoch before: joins what was counted in
 * parallel of an epoch and a kind when event time has passed the epoch.
 *
 * <p>Tables come as bytes and stay bytes until then; for one epoch more they are kept as they were
 * read, those of all subtasks in one. Nobody changes either, so a checkpoint copies nothing. Of an
 * epoch without any traffic the changes to nothing are told, but not where the input ends. Rows of
 * equal weight come in the order of their keys. Parts that come when their epoch was judged are
 * counted as {@code lateParts}.
 */
public final class HitterJudge implements KeyedAnalyzer<TableBlock, TableBlock> {
  private static final int VERSION = 3;

  /** Without pieces of tables of all groups; read as well. */
  private static final int VERSION_BY_GROUP = 2;

  private final HitterSettings settings;
  private final ColumnTexts texts;
  private final KindParts[] kinds;
  private final EpochJudge judge;
  private AnalyzerContext.Counter lateParts;

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
    kinds = new KindParts[settings.kinds().size()];
    Arrays.setAll(kinds, i -> new KindParts());
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
    Texts counts = block.texts(COUNTS);
    for (int row = 0; row < block.rows(); row++) {
      int kind = (int) block.longs(KIND)[row];
      int group = (int) block.longs(GROUP)[row];
      int start = counts.start(row);
      byte[] bytes = Arrays.copyOfRange(counts.bytes(), start, start + counts.length(row));
      KindParts.Part part =
          new KindParts.Part(group == DETAILS ? settings.detailsGroup(kind) : group, bytes);
      if (!kinds[settings.countedFor(kind)].add(block.longs(EPOCH)[row], part)) {
        lateParts.add(1);
      }
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    // Epoch by epoch: prefixes of one length look at what was counted of the others.
    for (Long epoch = earliest();
        epoch != null && settings.isOver(epoch, micros);
        epoch = earliest()) {
      Long due = epoch;
      int[] judged =
          IntStream.range(0, kinds.length)
              .filter(i -> Objects.equals(next(kinds[i]), due))
              .toArray();
      for (int i : judged) {
        // At the end of time nothing is said of the epoch behind the last one: nobody fell silent.
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

  /** The first epoch that any kind is to be judged of; null for none. */
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
    for (int i = 0; i < kinds.length; i++) {
      if (!kinds[i].isEmpty()) {
        byGroup
            .computeIfAbsent(
                KeyGroups.groupOf(settings.judgeHash(i), GROUPS), g -> new ArrayList<>())
            .add(kinds[i].snapshot(settings.countedIdentities().get(i)));
      }
    }
    return new Snapshot(byGroup);
  }

  @Override
  public void restore(int group, BlockInput in) {
    HitterSettings.takeVersion(in, VERSION_BY_GROUP, VERSION, "epochs of hitters");
    List<String> identities = settings.countedIdentities();
    for (int states = in.takeInt(); states > 0; states--) {
      int length = in.takeInt();
      int i =
          identities.indexOf(
              new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8));
      KindParts kind = i < 0 ? new KindParts() : kinds[i]; // of other settings: read, and forgotten
      kind.restore(in);
    }
  }

  private record Snapshot(Map<Integer, List<KindParts.Snapshot>> byGroup) implements StateSnapshot {
    @Override
    public boolean isEmpty(int group) {
      return !byGroup.containsKey(group);
    }

    @Override
    public void write(int group, BlockBuffer out) {
      List<KindParts.Snapshot> states = byGroup.get(group);
      out.putByte(VERSION);
      out.putInt(states.size());
      states.forEach(state -> state.write(out));
    }
  }
}
