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
 * Settings of heavy hitters: keys, measure and thresholds.
 *
 * @param kinds of keys, with distinct names
 * @param measure summed values
 * @param epochMicros length of an epoch; epochs are aligned to 1970
 * @param threshold minimum reported weight
 * @param memory bytes for the keys of a kind and an epoch, at least {@link #MIN_MEMORY}: in total
 *     if flows are keyed, otherwise per subtask
 * @param algorithm sketch used when the keys do not fit: one for each kind, or with {@link
 *     Algorithm#COCO} a single one over all columns, from which the keys of all kinds are derived,
 *     with the memory of all kinds. Not {@link Algorithm#EXACT}
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
  /** Minimum memory of a kind: 32 KiB for each of the tables into which its keys are divided. */
  public static final long MIN_MEMORY = 8L << 20;

  /** Maximum number of kinds. */
  public static final int MAX_KINDS = 100;

  /** Summed value, scaled by the sampling rate. */
  public enum Measure {
    /** Packets. */
    PACKETS(1),
    /**
     * Bytes; variances are in units of 1 KiB², so that their sum over an epoch fits into 64 bits.
     */
    BYTES(1 << 20);

    private final long varianceUnit;

    Measure(long varianceUnit) {
      this.varianceUnit = varianceUnit;
    }

    long varianceUnit() {
      return varianceUnit;
    }
  }

  static final int GROUPS = KeyGroups.DEFAULT_MAX;

  private static final List<TableSchema> ROWS =
      IntStream.rangeClosed(1, KeyBlock.MAX_BYTES / Long.BYTES)
          .mapToObj(HitterSettings::rowsOf)
          .toList();

  static final int EPOCH = 0;

  static final int KIND = 1;
  static final int WEIGHT = 2;
  static final int VARIANCE = 3;
  static final int WORDS = 4;

  /** Columns of the rows of counts, after {@link #EPOCH} and {@link #KIND}. */
  static final int GROUP = 2;

  static final int COUNTS = 3;
  static final int SEED = 4;

  /** In place of a group: profiles of candidates of all groups. */
  static final int DETAILS = GROUPS;

  /** In place of a group: pieces of the exact tables of all keys. */
  static final int ALL = 254;

  static final TableSchema PARTS =
      TableSchema.builder()
          .time("epoch")
          .number("kind")
          .number("key_group")
          .text("counts")
          .number("seed")
          .build();

  public HitterSettings {
    kinds = List.copyOf(kinds);
    if (kinds.isEmpty()
        || new HashSet<>(kinds.stream().map(HitterKind::name).toList()).size() < kinds.size()) {
      throw new IllegalArgumentException(
          "keys: " + kinds.size() + ", expected at least one and distinct names");
    }
    if (kinds.size() > MAX_KINDS) {
      throw new IllegalArgumentException(
          "keys: " + kinds.size() + ", expected at most " + MAX_KINDS);
    }
    if (memory < MIN_MEMORY) {
      throw new IllegalArgumentException(
          "memory: " + memory + " bytes, expected at least " + MIN_MEMORY);
    }
    if (algorithm == Algorithm.EXACT) {
      throw new IllegalArgumentException(
          "algorithm: exact is not a sketch, which is needed when keys do not fit; choose another");
    }
    if (algorithm == Algorithm.COCO) {
      var unused = together(kinds); // checks the length
    }
    if (epochMicros < 1_000_000) {
      throw new IllegalArgumentException(
          "epoch: " + epochMicros + " µs, expected at least 1 second");
    }
  }

  /**
   * Key of all columns; its name depends on the kinds, so that state of other kinds does not match.
   */
  private static HitterKind together(List<HitterKind> kinds) {
    String names = kinds.stream().map(HitterKind::name).collect(Collectors.joining(" ", "(", ")"));
    return HitterKind.all("algorithm: coco, all columns of " + names, kinds);
  }

  /**
   * For each kind, the kind that is counted: the kind itself or one from which it is derived; null
   * if it is derived from the first. Kind numbers in rows are indexes into this list.
   */
  List<HitterKind> counted() {
    if (algorithm != Algorithm.COCO) {
      return kinds.stream().map(HitterKind::counted).toList();
    }
    HitterKind[] counted = new HitterKind[kinds.size()];
    counted[0] = together(kinds);
    return Arrays.asList(counted);
  }

  int countedFor(int kind) {
    return algorithm == Algorithm.COCO ? 0 : kind;
  }

  /** In place of a group: profiles of one of several kinds derived from the same counts. */
  int detailsGroup(int kind) {
    return DETAILS + kind - countedFor(kind);
  }

  Algorithm algorithm(int kind) {
    return kinds.get(kind).isNetworks() ? Algorithm.COCO : algorithm;
  }

  long epochMemory() {
    return memory * counted().stream().filter(Objects::nonNull).count();
  }

  int mostWords() {
    return Stream.concat(kinds.stream(), counted().stream())
        .filter(Objects::nonNull)
        .mapToInt(HitterKind::words)
        .max()
        .orElseThrow();
  }

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

  /** Partitions rows by their key; the hash of a key does not depend on the other kinds. */
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

  static void hashes(int kindHash, long[][] words, int rows, int[] hashes) {
    Arrays.fill(hashes, 0, rows, kindHash);
    for (long[] word : words) {
      hash(word, rows, hashes);
    }
  }

  static void groups(int kindHash, long[][] words, int rows, int[] groups) {
    hashes(kindHash, words, rows, groups);
    for (int row = 0; row < rows; row++) {
      groups[row] = groupOf(groups[row]);
    }
  }

  void groupsOf(int kind, KeyBlock keys, int[] groups) {
    HitterKind counted = counted().get(kind);
    long[][] words = new long[counted.words()][];
    Arrays.setAll(words, keys::word);
    groups(hash(counted), words, keys.rows(), groups);
  }

  NarrowKeys form(int kind) {
    HitterKind counted = counted().get(kind);
    return counted == null ? null : NarrowKeys.of(counted);
  }

  private static void hash(long[] word, int rows, int[] hashes) {
    for (int row = 0; row < rows; row++) {
      hashes[row] = hash(hashes[row], word[row]);
    }
  }

  /** Part of the checkpoint format: must not change. */
  private static int hash(int before, long word) {
    return (int) (((before ^ word) * 0x9E37_79B9_7F4A_7C15L) >>> Integer.SIZE);
  }

  static int groupOf(int hash) {
    return KeyGroups.groupOf(hash, GROUPS);
  }

  static int groupOf(int hash, int words, Key key) {
    int all = hash;
    for (int word = 0; word < words; word++) {
      all = hash(all, key.word(word));
    }
    return groupOf(all);
  }

  /**
   * Partitions counts by kind: kinds that are prefixes of the same address, or are counted
   * together, go to one subtask.
   */
  public RowKeys<TableBlock> byKind() {
    int[] byKind = IntStream.range(0, kinds.size()).map(this::judgeHash).toArray();
    return (parts, hashes) -> {
      for (int row = 0; row < parts.rows(); row++) {
        hashes[row] = byKind[(int) parts.longs(KIND)[row]];
      }
    };
  }

  int judgeHash(int kind) {
    HitterKind counted = counted().get(countedFor(kind));
    return hash(algorithm == Algorithm.COCO ? counted : hierarchy(kinds.get(kind)).get(0));
  }

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

  /** Identity of a kind's counts in state; differs if the settings differ. */
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

  List<String> countedIdentities() {
    return counted().stream().map(kind -> kind == null ? null : identity(kind)).toList();
  }

  long epochOf(long micros) {
    return Math.floorDiv(micros, epochMicros) * epochMicros;
  }

  boolean isOver(long epoch, long passed) {
    return epoch + epochMicros - 1 <= passed;
  }
}
