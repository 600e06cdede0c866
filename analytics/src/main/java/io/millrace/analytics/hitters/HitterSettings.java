package io.millrace.analytics.hitters;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;

/**
 * What is counted, and what is heavy.
 *
 * @param kinds of keys, no name twice
 * @param measure what is added up
 * @param epochMicros length of an epoch; they begin at its multiples, counted from 1970
 * @param threshold from which on a key is reported
 * @param memory bytes for the keys of a kind and an epoch, at least {@link #LEAST_MEMORY}: of all
 *     subtasks together where flows are dealt out by key, and of each of them where they are not
 * @param seed of the sketches' hash functions; random in operation
 */
public record HitterSettings(
    List<HitterKind> kinds,
    Measure measure,
    long epochMicros,
    Threshold threshold,
    long memory,
    long seed)
    implements Serializable {
  /** Least memory of a kind: 32 KiB for each of the tables into which its keys are divided. */
  public static final long LEAST_MEMORY = 8L << 20;

  /** What is added up, each times the sampling rate. */
  public enum Measure {
    /** Packets. */
    PACKETS(1),
    /** Bytes; their variances in units of 1 MiB², so that those of an epoch fit into a number. */
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

  /** Columns of the rows of keys. */
  static final int EPOCH = 0;

  static final int KIND = 1;
  static final int WEIGHT = 2;
  static final int VARIANCE = 3;
  static final int WORDS = 4;

  /** Columns of the rows of what was counted, behind {@link #EPOCH} and {@link #KIND}. */
  static final int GROUP = 2;

  static final int COUNTS = 3;

  /** In place of a group: the details of candidates of all groups. */
  static final int DETAILS = GROUPS;

  /** What was counted in an epoch of the keys of a kind and a group, as bytes. */
  static final TableSchema PARTS =
      TableSchema.builder().time("epoch").number("kind").number("key_group").text("counts").build();

  /** Copies the kinds and checks them. */
  public HitterSettings {
    kinds = List.copyOf(kinds);
    if (kinds.isEmpty()
        || new HashSet<>(kinds.stream().map(HitterKind::name).toList()).size() < kinds.size()) {
      throw new IllegalArgumentException("keys: " + kinds.size() + " of them, or one twice");
    }
    if (memory < LEAST_MEMORY) {
      throw new IllegalArgumentException(
          "memory: " + memory + " bytes is less than " + LEAST_MEMORY);
    }
    if (epochMicros < 1_000_000) {
      throw new IllegalArgumentException("epoch: " + epochMicros + " µs is less than a second");
    }
  }

  /** Rows of keys: epoch, number of the kind, weight, variance, and the words of the key. */
  TableSchema rows() {
    TableSchema.Builder rows =
        TableSchema.builder().time("epoch").number("kind").number("weight").number("variance");
    int words = kinds.stream().mapToInt(HitterKind::words).max().orElseThrow();
    for (int word = 0; word < words; word++) {
      rows.number("word" + word);
    }
    return rows.build();
  }

  /** Deals rows of keys out; what the hash of a key is does not depend on the other kinds. */
  public RowKeys<TableBlock> byKey() {
    int[] byKind = kinds.stream().mapToInt(HitterSettings::hash).toArray();
    int[] words = kinds.stream().mapToInt(HitterKind::words).toArray();
    return (rows, hashes) -> {
      for (int row = 0; row < rows.rows(); row++) {
        int kind = (int) rows.longs(KIND)[row];
        int hash = byKind[kind];
        for (int word = WORDS; word < WORDS + words[kind]; word++) {
          hash = Hash.of(hash, rows.longs(word)[row]);
        }
        hashes[row] = hash;
      }
    };
  }

  /**
   * Deals what was counted out: all of a kind comes to one subtask, and so do kinds that are
   * prefixes of the same address.
   */
  public RowKeys<TableBlock> byKind() {
    int[] byKind = kinds.stream().mapToInt(this::judgeHash).toArray();
    return (parts, hashes) -> {
      for (int row = 0; row < parts.rows(); row++) {
        hashes[row] = byKind[(int) parts.longs(KIND)[row]];
      }
    };
  }

  /** By what {@link #byKind} deals a kind out. */
  int judgeHash(HitterKind kind) {
    return hash(hierarchy(kind).get(0));
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
    return kind.name() + " " + kind.parts() + " " + measure + " " + epochMicros + " " + memory;
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
