package io.millrace.analytics.hitters;

import io.millrace.analytics.Emitter;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Candidates of one subtask by epoch and kind; emitted when the watermark has passed the epoch. Not
 * thread-safe.
 *
 * <p>At most {@link #MAX_OPEN} epochs are open, the earliest ones; flows of other epochs have no
 * details.
 */
final class CandidateEpochs {
  private static final int MAX_OPEN = 8;

  private static final int FETCHED = 128;

  private final HitterSettings settings;
  private final TreeMap<Long, Candidates[]> epochs = new TreeMap<>();

  private final int[] voters = new int[FETCHED];

  private final long[] hashes = new long[FETCHED];
  private long seed;

  CandidateEpochs(HitterSettings settings) {
    this.settings = settings;
    seed = settings.seed();
  }

  long seed() {
    return seed;
  }

  /**
   * Counts the rows of a block: each row votes unless its key is known to be light, and rows of
   * candidates are profiled.
   *
   * @param passed watermark; older rows are late
   * @param begins epoch of each row
   * @param known lower bound of each row's key, from {@link KindCounts#add}
   */
  void add(
      int kind,
      DetailColumns flows,
      int rows,
      long passed,
      long[] begins,
      long[] weights,
      long[][] key,
      long[] known) {
    int from = 0;
    for (int row = 1; row <= rows; row++) {
      if (row == rows || begins[row] != begins[from] || row - from == FETCHED) {
        long epoch = begins[from];
        if (!settings.isOver(epoch, passed) && isOpen(epoch)) {
          add(candidates(epoch, kind), epoch, flows, from, row, weights, key, known);
        }
        from = row;
      }
    }
  }

  private void add(
      Candidates open,
      long epoch,
      DetailColumns flows,
      int from,
      int to,
      long[] weights,
      long[][] key,
      long[] known) {
    int votes = 0;
    for (int row = from; row < to; row++) {
      voters[votes] = row;
      votes += known[row] == Candidates.NOTHING ? 0 : 1;
    }
    for (int i = 0; i < votes; i++) {
      hashes[i] = EqualRows.hash(settings.seed(), epoch, key, voters[i]);
    }
    open.fetch(hashes, votes);
    int next = from;
    for (int i = 0; i < votes; i++) {
      int row = voters[i];
      for (; next <= row; next++) {
        open.count(weights[next]);
      }
      long weight = weights[row];
      CandidateDetails own =
          weight == 0 ? null : open.vote(hashes[i], key, row, flows.times[row], weight, known[row]);
      if (own != null) {
        own.add(flows, row, weight);
      }
    }
    for (; next < to; next++) {
      open.count(weights[next]);
    }
  }

  private boolean isOpen(long epoch) {
    if (epochs.size() < MAX_OPEN || epochs.containsKey(epoch)) {
      return true;
    }
    if (epoch > epochs.lastKey()) {
      return false;
    }
    epochs.pollLastEntry();
    return true;
  }

  private Candidates candidates(long epoch, int kind) {
    Candidates[] kinds =
        epochs.computeIfAbsent(epoch, begin -> new Candidates[settings.kinds().size()]);
    if (kinds[kind] == null) {
      kinds[kind] = new Candidates(settings.kinds().get(kind), settings.seed(), epoch);
    }
    return kinds[kind];
  }

  void emit(long passed, Emitter<TableBlock> out) {
    while (!epochs.isEmpty() && settings.isOver(epochs.firstKey(), passed)) {
      Map.Entry<Long, Candidates[]> epoch = epochs.pollFirstEntry();
      for (int kind = 0; kind < epoch.getValue().length; kind++) {
        if (epoch.getValue()[kind] != null) {
          BlockBuffer bytes = new BlockBuffer(1 << 10);
          epoch.getValue()[kind].write(bytes);
          TableBlock part = new TableBlock(HitterSettings.PARTS, 1);
          part.longs(HitterSettings.EPOCH)[0] = epoch.getKey();
          part.longs(HitterSettings.KIND)[0] = kind;
          part.longs(HitterSettings.GROUP)[0] = HitterSettings.DETAILS;
          part.texts(HitterSettings.COUNTS).add(bytes.bytes(), 0, bytes.length());
          part.rows(1);
          out.emit(part);
        }
      }
    }
  }

  boolean isEmpty() {
    return epochs.isEmpty();
  }

  /**
   * Appends the state.
   *
   * <pre>
   *   seed | { 1 | epoch | kind's identity | length | candidates } … | 0
   * </pre>
   */
  void write(BlockBuffer out) {
    out.putLong(seed);
    BlockBuffer candidates = new BlockBuffer(1 << 10);
    epochs.forEach(
        (epoch, kinds) -> {
          for (int kind = 0; kind < kinds.length; kind++) {
            if (kinds[kind] != null) {
              candidates.clear();
              kinds[kind].write(candidates);
              byte[] identity =
                  settings.identity(settings.kinds().get(kind)).getBytes(StandardCharsets.UTF_8);
              out.putByte(1);
              out.putLong(epoch);
              out.putInt(identity.length);
              out.put(identity, 0, identity.length);
              out.putInt(candidates.length());
              out.put(candidates.bytes(), 0, candidates.length());
            }
          }
        });
    out.putByte(0);
  }

  void read(BlockInput in, boolean isMine) {
    seed = in.takeLong();
    List<String> identities = settings.kinds().stream().map(settings::identity).toList();
    while (isMine && in.takeByte() != 0) {
      long epoch = in.takeLong();
      int length = in.takeInt();
      String identity = new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8);
      int bytes = in.takeInt();
      BlockInput candidates = new BlockInput(in.bytes(), in.take(bytes), bytes);
      int kind = identities.indexOf(identity);
      if (kind >= 0) {
        candidates(epoch, kind).read(candidates);
      }
    }
  }
}
