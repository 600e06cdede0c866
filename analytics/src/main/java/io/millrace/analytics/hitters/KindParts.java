package io.millrace.analytics.hitters;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Parts of the kinds that are derived from the same counts, by epoch. */
final class KindParts {
  /**
   * A table of a key group, a piece of {@link HitterSettings#ALL} or the merged tables of an epoch;
   * or, with numbers after the groups, profiles of a kind's candidates.
   */
  static final class Part {
    final int group;

    /** Null if the table was already read. */
    final byte[] counts;

    /** Null if not read yet; immutable. */
    final CountTables read;

    Part(int group, byte[] counts) {
      this.group = group;
      this.counts = counts;
      read = null;
    }

    Part(CountTables read) {
      group = HitterSettings.ALL;
      this.read = read;
      counts = null;
    }

    BlockInput input() {
      return new BlockInput(counts, 0, counts.length);
    }

    int count() {
      return read == null ? 1 : read.parts();
    }

    void write(long epoch, BlockBuffer out) {
      if (read == null) {
        write(epoch, group, counts, counts.length, out);
      } else {
        read.forEachTable(
            (own, isExact, table) -> write(epoch, own, table.bytes(), table.length(), out));
      }
    }

    private static void write(long epoch, int group, byte[] table, int length, BlockBuffer out) {
      out.putLong(epoch);
      out.putByte(group);
      out.putInt(length);
      out.put(table, 0, length);
    }
  }

  private static final int VERSION = 1;

  @FunctionalInterface
  interface PartReader {
    /** Receives a part of an epoch and a kind, counted or derived. */
    void take(long epoch, int kind, Part part);
  }

  private long judged = Long.MIN_VALUE;

  /** Parts of the last evaluated epoch and of open epochs, by start of the epoch. */
  private final TreeMap<Long, List<Part>> parts = new TreeMap<>();

  private CountTables tables;

  private long tablesOf;

  static KindParts[] none(HitterSettings settings) {
    KindParts[] kinds = new KindParts[settings.kinds().size()];
    Arrays.setAll(kinds, i -> new KindParts());
    return kinds;
  }

  static void forEachOf(TableBlock block, PartReader reader) {
    Texts counts = block.texts(HitterSettings.COUNTS);
    for (int row = 0; row < block.rows(); row++) {
      int start = counts.start(row);
      byte[] bytes = Arrays.copyOfRange(counts.bytes(), start, start + counts.length(row));
      reader.take(
          block.longs(HitterSettings.EPOCH)[row],
          (int) block.longs(HitterSettings.KIND)[row],
          new Part((int) block.longs(HitterSettings.GROUP)[row], bytes));
    }
  }

  boolean add(long epoch, Part part) {
    boolean isOpen = epoch > judged;
    if (isOpen) {
      put(epoch, part);
    }
    return isOpen;
  }

  private void put(long epoch, Part part) {
    parts.computeIfAbsent(epoch, e -> new ArrayList<>()).add(part);
  }

  boolean isEmpty() {
    return judged == Long.MIN_VALUE && parts.isEmpty();
  }

  boolean has(long epoch) {
    return parts.containsKey(epoch);
  }

  Long first() {
    return parts.isEmpty() ? null : parts.firstKey();
  }

  List<Part> remove(long epoch) {
    return parts.remove(epoch);
  }

  List<Part> of(long epoch) {
    return parts.getOrDefault(epoch, List.of());
  }

  /**
   * Next epoch to evaluate: the one after the last evaluated if that had traffic, otherwise the
   * next with traffic; null if there is none.
   */
  Long next(long epochMicros) {
    return has(judged) ? Long.valueOf(judged + epochMicros) : parts.higherKey(judged);
  }

  boolean hasFrom(long epoch) {
    return parts.lastKey() >= epoch;
  }

  CountTables tables(long epoch) {
    return tablesOf == epoch ? tables : null;
  }

  void read(long epoch, CountTables read) {
    tables = read;
    tablesOf = epoch;
  }

  void judged(long epoch) {
    parts.headMap(epoch).clear();
    judged = epoch;
    if (has(epoch) && tables(epoch) != null) {
      parts.put(epoch, List.of(new Part(tables)));
    }
  }

  private void restore(BlockInput in) {
    judged = in.takeLong();
    for (int count = in.takeInt(); count > 0; count--) {
      long epoch = in.takeLong();
      int group = in.takeByte();
      int bytes = in.takeInt();
      int at = in.take(bytes);
      put(epoch, new Part(group, Arrays.copyOfRange(in.bytes(), at, at + bytes)));
    }
  }

  static Map<Integer, Snapshot> snapshots(HitterSettings settings, KindParts[] kinds) {
    List<String> identities = settings.countedIdentities();
    Map<Integer, Snapshot> snapshots = new TreeMap<>();
    for (int i = 0; i < kinds.length; i++) {
      if (!kinds[i].isEmpty()) {
        snapshots.put(i, kinds[i].snapshot(identities.get(i)));
      }
    }
    return snapshots;
  }

  static void write(List<Snapshot> kinds, BlockBuffer out) {
    out.putByte(VERSION);
    out.putInt(kinds.size());
    kinds.forEach(kind -> kind.write(out));
  }

  static void restore(BlockInput in, HitterSettings settings, KindParts[] kinds) {
    in.takeVersion(VERSION, "epochs of hitters");
    List<String> identities = settings.countedIdentities();
    for (int states = in.takeInt(); states > 0; states--) {
      int length = in.takeInt();
      int i =
          identities.indexOf(
              new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8));
      KindParts kind = i < 0 ? new KindParts() : kinds[i];
      kind.restore(in);
    }
  }

  private Snapshot snapshot(String identity) {
    List<Map.Entry<Long, Part>> copy = new ArrayList<>();
    parts.forEach((epoch, all) -> all.forEach(part -> copy.add(Map.entry(epoch, part))));
    return new Snapshot(identity, judged, copy);
  }

  /**
   * Snapshot: a copied list of immutable parts.
   *
   * @param parts with their epochs
   */
  record Snapshot(String identity, long judged, List<Map.Entry<Long, Part>> parts) {
    void write(BlockBuffer out) {
      byte[] name = identity.getBytes(StandardCharsets.UTF_8);
      out.putInt(name.length);
      out.put(name, 0, name.length);
      out.putLong(judged);
      out.putInt(parts.stream().mapToInt(part -> part.getValue().count()).sum());
      parts.forEach(part -> part.getValue().write(part.getKey(), out));
    }
  }
}
