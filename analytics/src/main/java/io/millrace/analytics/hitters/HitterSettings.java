package io.millrace.analytics.hitters;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What is counted, and what is heavy.
 *
 * @param kinds of keys, no name twice
 * @param measure what is added up
 * @param epochMicros length of an epoch; they begin at its multiples, counted from 1970
 * @param threshold from which on a key is reported
 * @param memory bytes for the keys of a kind and an epoch, at least {@link #LEAST_MEMORY}: of all
 *     subtasks together where flows are dealt out by key, and of each of them where they are not
 * @param algorithm sketch that continues if keys do not fit: one for each kind, or with {@link
 *     Algorithm#COCO} one for a key of all columns, from which the keys of all kinds are derived;
 *     then the memory is that of all kinds together. Not {@link Algorithm#EXACT}
 * @param seed of the sketches' hash functions; random in operation
 */
public record HitterSettings(
    List<HitterKind> kinds,
    Measure measure,
    long epochMicros,
    Threshold threshold,
    long memory,
    Algorithm algorithm,
    long seed)
    implements Serializable {
  /** Least memory of a kind: 32 KiB for each of the tables into which its keys are divided. */
  public static final long LEAST_MEMORY = 8L << 20;

  /** Most kinds. */
  public static final int MOST_KINDS = 100;

  /** What is added up, each times the sampling rate. */
  public enum Measure {
    /** Packets. */
    PACKETS(1),
    /** Bytes; their variances in units of 1 KiB², so that those of an epoch fit into a number. */
    BYTES(1 << 20);

    private final long varianceUnit;

    Measure(long varianceUnit) {
      this.varianceUnit = varianceUnit;
    }

    /** What a counted variance of 1 stands for. */
    long varianceUnit() {
      return varianceUnit;
    }
  }

  /** Tables into which the keys of a kind are divided, by their key group. */
  static final int GROUPS = KeyGroups.DEFAULT_MAX;

  private static final List<TableSchema> ROWS =
      IntStream.rangeClosed(1, KeyBlock.MAX_BYTES / Long.BYTES)
          .mapToObj(HitterSettings::rowsOf)
          .toList();

  /** Columns of the rows of keys. */
  static final int EPOCH = 0;

  static final int KIND = 1;
  static final int WEIGHT = 2;
  static final int VARIANCE = 3;
  static final int WORDS = 4;

  /** Columns of the rows of what was counted, behind {@link #EPOCH} and {@link #KIND}. */
  static final int GROUP = 2;

  static final int COUNTS = 3;
  static final int SEED = 4;

  /** In place of a group: the details of candidates of all groups. */
  static final int DETAILS = GROUPS;

  /** In place of a group: pieces of the exact tables of keys of any group. */
  static final int ALL = 254;

  /** What was counted in an epoch of the keys of a kind and a group, as bytes, and their seed. */
  static final TableSchema PARTS =
      TableSchema.builder()
          .time("epoch")
          .number("kind")
          .number("key_group")
          .text("counts")
          .number("seed")
          .build();

  /** Copies the kinds and checks them. */
  public HitterSettings {
    kinds = List.copyOf(kinds);
    if (kinds.isEmpty()
        || new HashSet<>(kinds.stream().map(HitterKind::name).toList()).size() < kinds.size()) {
      throw new IllegalArgumentException("keys: " + kinds.size() + " of them, or one twice");
    }
    if (kinds.size() > MOST_KINDS) {
      throw new IllegalArgumentException(
          "keys: " + kinds.size() + " of them, at most " + MOST_KINDS);
    }
    if (memory < LEAST_MEMORY) {
      throw new IllegalArgumentException(
          "memory: " + memory + " bytes is less than " + LEAST_MEMORY);
    }
    if (algorithm == Algorithm.EXACT) {
      throw new IllegalArgumentException(
          "algorithm: exact is no sketch for keys that do not fit, choose another");
    }
    if (algorithm == Algorithm.COCO) {
      var unused = together(kinds); // refuses what is too long
    }
    if (epochMicros < 1_000_000) {
      throw new IllegalArgumentException("epoch: " + epochMicros + " µs is less than a second");
    }
  }

  /** The key of all columns; its name changes with the kinds, so that state of others is none. */
  private static HitterKind together(List<HitterKind> kinds) {
    String names = kinds.stream().map(HitterKind::name).collect(Collectors.joining(" ", "(", ")"));
    return HitterKind.all("algorithm: coco, all columns of " + names, kinds);
  }

  /**
   * What is counted, in place of each kind: its key or the one of which its keys can be made, or
   * null where they can be made of what is counted in place of the first kind. Numbers of kinds in
   * rows are those of these.
   */
  List<HitterKind> counted() {
    if (algorithm != Algorithm.COCO) {
      return kinds.stream().map(HitterKind::counted).toList();
    }
    HitterKind[] counted = new HitterKind[kinds.size()];
    counted[0] = together(kinds);
    return Arrays.asList(counted);
  }

  /** In place of which kind that is counted of which the keys of a kind are made. */
  int countedFor(int kind) {
    return algorithm == Algorithm.COCO ? 0 : kind;
  }

  /** In place of a group: details of one of the kinds that are made of the same counts. */
  int detailsGroup(int kind) {
    return DETAILS + kind - countedFor(kind);
  }

  /** With what it goes on of which the exact counts do not fit: networks are parts of addresses. */
  Algorithm algorithm(int kind) {
    return kinds.get(kind).isNetworks() ? Algorithm.COCO : algorithm;
  }

  /** Bytes for all keys of an epoch. */
  long epochMemory() {
    return memory * counted().stream().filter(Objects::nonNull).count();
  }

  /** Words of the longest key. */
  int mostWords() {
    return Stream.concat(kinds.stream(), counted().stream())
        .filter(Objects::nonNull)
        .mapToInt(HitterKind::words)
        .max()
        .orElseThrow();
  }

  /** Rows of keys: epoch, number of the kind, weight, variance, and the words of the key. */
  static TableSchema rows(int words) {
    return ROWS.get(words - 1);
  }

  private static TableSchema rowsOf(int words) {
    TableSchema.Builder rows =
        TableSchema.builder().time("epoch").number("kind").number("weight").number("variance");
    for (int word = 0; word < words; word++) {
      rows.number("word" + word);
    }
    return rows.build();
  }

  /** Deals rows of keys out; what the hash of a key is does not depend on the other kinds. */
  public RowKeys<TableBlock> byKey() {
    int[] byKind = counted().stream().mapToInt(kind -> kind == null ? 0 : hash(kind)).toArray();
    return (rows, hashes) -> {
      long[] kindOf = rows.longs(KIND);
      for (int row = 0; row < rows.rows(); row++) {
        hashes[row] = byKind[(int) kindOf[row]];
      }
      for (int word = WORDS; word < rows.schema().size(); word++) {
        hash(rows.longs(word), rows.rows(), hashes);
      }
    };
  }

  /** The hashes of keys of one kind, as {@link #byKey} has them. */
  static void hashes(int kindHash, long[][] words, int rows, int[] hashes) {
    Arrays.fill(hashes, 0, rows, kindHash);
    for (long[] word : words) {
      hash(word, rows, hashes);
    }
  }

  /** The key groups of keys of one kind, as {@link #byKey} deals them out. */
  static void groups(int kindHash, long[][] words, int rows, int[] groups) {
    hashes(kindHash, words, rows, groups);
    for (int row = 0; row < rows; row++) {
      groups[row] = groupOf(groups[row]);
    }
  }

  /** The key groups of what is counted in place of a kind. */
  void groupsOf(int kind, KeyBlock keys, int[] groups) {
    HitterKind counted = counted().get(kind);
    long[][] words = new long[counted.words()][];
    Arrays.setAll(words, keys::word);
    groups(hash(counted), words, keys.rows(), groups);
  }

  /** The narrow form of what is counted in place of a kind, with scratch of its own, or null. */
  NarrowKeys form(int kind) {
    HitterKind counted = counted().get(kind);
    return counted == null ? null : NarrowKeys.of(counted);
  }

  private static void hash(long[] word, int rows, int[] hashes) {
    for (int row = 0; row < rows; row++) {
      hashes[row] = hash(hashes[row], word[row]);
    }
  }

  /** Hashes of keys are part of checkpoints, so they never change. */
  private static int hash(int before, long word) {
    return (int) (((before ^ word) * 0x9E37_79B9_7F4A_7C15L) >>> Integer.SIZE);
  }

  /** The key group of such a hash. */
  static int groupOf(int hash) {
    return KeyGroups.groupOf(hash, GROUPS);
  }

  /**
   * The key group of a key that is counted, as {@link #byKey} deals it out.
   *
   * @param hash of its kind
   * @param words that it has
   */
  static int groupOf(int hash, int words, Key key) {
    int all = hash;
    for (int word = 0; word < words; word++) {
      all = hash(all, key.word(word));
    }
    return groupOf(all);
  }

  /**
   * Deals what was counted out: all of a kind comes to one subtask, and so do kinds that are
   * prefixes of the same address, and kinds that are counted together.
   */
  public RowKeys<TableBlock> byKind() {
    int[] byKind = IntStream.range(0, kinds.size()).map(this::judgeHash).toArray();
    return (parts, hashes) -> {
      for (int row = 0; row < parts.rows(); row++) {
        hashes[row] = byKind[(int) parts.longs(KIND)[row]];
      }
    };
  }

  /** By what {@link #byKind} deals a kind out. */
  int judgeHash(int kind) {
    HitterKind counted = counted().get(countedFor(kind));
    return hash(algorithm == Algorithm.COCO ? counted : hierarchy(kinds.get(kind)).get(0));
  }

  /** The kinds that are prefixes of the same address as one, the longest first; or it alone. */
  List<HitterKind> hierarchy(HitterKind kind) {
    if (!kind.isPrefix()) {
      return List.of(kind);
    }
    String column = kind.parts().get(0).column();
    return kinds.stream()
        .filter(each -> each.isPrefix() && each.parts().get(0).column().equals(column))
        .sorted(
            Comparator.comparingInt((HitterKind each) -> each.parts().get(0).prefix()).reversed())
        .toList();
  }

  static int hash(HitterKind kind) {
    byte[] name = kind.name().getBytes(StandardCharsets.UTF_8);
    return Hash.of(name, 0, name.length);
  }

  /** Under what the counts of a kind stand in state: with other settings they are others. */
  String identity(HitterKind kind) {
    String sketch = algorithm == Algorithm.MV ? "" : " " + algorithm.label(); // mv is the default
    return kind.name()
        + " "
        + kind.parts()
        + " "
        + measure
        + " "
        + epochMicros
        + " "
        + memory
        + sketch;
  }

  /** The same of what is counted in place of each kind; null where nothing is. */
  List<String> countedIdentities() {
    return counted().stream().map(kind -> kind == null ? null : identity(kind)).toList();
  }

  /** First moment of the epoch in which a moment lies. */
  long epochOf(long micros) {
    return Math.floorDiv(micros, epochMicros) * epochMicros;
  }

  /** Whether an epoch is over when event time has passed a moment. */
  boolean isOver(long epoch, long passed) {
    return epoch + epochMicros - 1 <= passed;
  }
}
