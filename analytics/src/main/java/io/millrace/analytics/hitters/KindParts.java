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

/** What is known of all kinds that are made of the same counts, by epoch. */
final class KindParts {
  /**
   * A table of a key group as it came, or of {@link HitterSettings#ALL} of them a piece as it came,
   * or what was read of an epoch; or, behind the groups, details of the candidates of a kind: of
   * the one in place of which is counted, and the others that are made of its counts.
   */
  static final class Part {
    final int group;

    /** Null where the table was read. */
    final byte[] counts;

    /** Null where it was not; nobody changes them. */
    final CountTables read;

    Part(int group, byte[] counts) {
      this.group = group;
      this.counts = counts;
      read = null;
    }

    /** All tables of an epoch. */
    Part(CountTables read) {
      group = HitterSettings.ALL;
      this.read = read;
      counts = null;
    }

    /** Its bytes. */
    BlockInput input() {
      return new BlockInput(counts, 0, counts.length);
    }

    /** In how many parts it is written. */
    int count() {
      return read == null ? 1 : read.parts();
    }

    /** Appends all of them: {@code epoch | group | length | table}. */
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

  /** Takes a part. */
  @FunctionalInterface
  interface PartReader {
    /** Takes a part of an epoch and of what is counted in place of a kind or made of that. */
    void take(long epoch, int kind, Part part);
  }

  /** Begin of the epoch that was judged last. */
  private long judged = Long.MIN_VALUE;

  /** By the begin of the epoch: that one's, and those that are not over. */
  private final TreeMap<Long, List<Part>> parts = new TreeMap<>();

  /** What was read last, and of which epoch. */
  private CountTables tables;

  private long tablesOf;

  /** Nothing of any kind. */
  static KindParts[] none(HitterSettings settings) {
    KindParts[] kinds = new KindParts[settings.kinds().size()];
    Arrays.setAll(kinds, i -> new KindParts());
    return kinds;
  }

  /** Copies the parts in a block of {@link HitterSettings#PARTS}. */
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

  /** Adds a part; false if its epoch was judged. */
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

  /** The first epoch of which there are parts; null for none. */
  Long first() {
    return parts.isEmpty() ? null : parts.firstKey();
  }

  /** Takes the parts of an epoch away. */
  List<Part> remove(long epoch) {
    return parts.remove(epoch);
  }

  /** The parts of an epoch. */
  List<Part> of(long epoch) {
    return parts.getOrDefault(epoch, List.of());
  }

  /** The next epoch to judge: the one behind the last, if there was traffic in either; or null. */
  Long next(long epochMicros) {
    return has(judged) ? Long.valueOf(judged + epochMicros) : parts.higherKey(judged);
  }

  /** Whether there was traffic in an epoch or a later one. */
  boolean hasFrom(long epoch) {
    return parts.lastKey() >= epoch;
  }

  /** The tables of an epoch if they were read last; else null. */
  CountTables tables(long epoch) {
    return tablesOf == epoch ? tables : null;
  }

  /** Says that the tables of an epoch were read, and are not changed from now on. */
  void read(long epoch, CountTables read) {
    tables = read;
    tablesOf = epoch;
  }

  /**
   * Says that an epoch was judged: what is before it is not needed any more, nor are its details.
   * Its tables are kept as they were read, those of all subtasks in one.
   */
  void judged(long epoch) {
    parts.headMap(epoch).clear();
    judged = epoch;
    if (has(epoch) && tables(epoch) != null) {
      parts.put(epoch, List.of(new Part(tables)));
    }
  }

  /** Adds what a {@link Snapshot} has written behind its name. */
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

  /** What is known now of each kind of which anything is, by its number. */
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

  /** Writes some kinds, behind a version. */
  static void write(List<Snapshot> kinds, BlockBuffer out) {
    out.putByte(VERSION);
    out.putInt(kinds.size());
    kinds.forEach(kind -> kind.write(out));
  }

  /** Adds what {@link #write} has written; what is of other settings is left out. */
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
   * What was known at one moment: the list is a copy, and the parts nobody changes.
   *
   * @param parts each behind its epoch
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
