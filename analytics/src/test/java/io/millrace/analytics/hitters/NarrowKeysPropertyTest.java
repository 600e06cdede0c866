package io.millrace.analytics.hitters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Narrow keys are equal if and only if the wide keys are. */
class NarrowKeysPropertyTest {
  private static final List<String> KINDS =
      List.of("source", "pair", "5-tuple", "source-prefix", "interface", "dst_addr+src_as");

  /** Rows of a kind: about half with IPv4 addresses and small numbers, some of them equal. */
  private static KeyBlock rows(HitterKind kind, Random random, int rows) {
    KeyBlock keys = KeyBlock.withVariances(kind.bytes(), rows);
    for (int row = 0; row < rows; row++) {
      BlockBuffer key = new BlockBuffer(kind.bytes());
      for (HitterKind.Part part : kind.parts()) {
        if (part.isAddress()) {
          boolean isV4 = random.nextInt(4) > 0;
          putLong(key, isV4 ? 0 : random.nextLong());
          putLong(key, isV4 ? Addresses.v4Low(random.nextInt(3) - 1) : random.nextLong());
        } else {
          boolean isSmall = random.nextInt(8) > 0;
          putInt(key, isSmall ? random.nextInt(256) : random.nextInt());
        }
      }
      keys.add(Key.of(key.toBytes()), 1 + random.nextInt(9));
      keys.variances()[row] = random.nextInt(5);
    }
    return keys;
  }

  private static void putLong(BlockBuffer out, long value) {
    putInt(out, (int) (value >>> 32));
    putInt(out, (int) value);
  }

  /** Most significant byte first, as keys have them. */
  private static void putInt(BlockBuffer out, int value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      out.putByte(value >>> shift);
    }
  }

  @Property(tries = 100)
  void narrowedKeysAreWidenedToTheOriginals(@ForAll Random random) {
    for (String name : KINDS) {
      HitterKind kind = HitterKind.parse(name);
      NarrowKeys form = NarrowKeys.of(kind);
      KeyBlock keys = rows(kind, random, 1 + random.nextInt(300));
      form.divide(keys);
      assertThat(form.narrow().keyBytes()).isLessThan(kind.bytes());
      assertThat(form.narrow().rows() + form.wide().rows()).isEqualTo(keys.rows());
      KeyBlock widened = form.widen(form.narrow());
      for (int i = 0; i < widened.rows(); i++) {
        int row = form.narrowRows()[i];
        assertThat(widened.key(i)).isEqualTo(keys.key(row));
        assertThat(widened.weights()[i]).isEqualTo(keys.weights()[row]);
        assertThat(widened.variances()[i]).isEqualTo(keys.variances()[row]);
        assertThat(form.narrow(keys.key(row))).isEqualTo(form.narrow().key(i));
        assertThat(form.widen(form.narrow().key(i))).isEqualTo(keys.key(row));
      }
      for (int i = 0; i < form.wide().rows(); i++) {
        int row = form.wideRows()[i];
        assertThat(form.wide().key(i)).isEqualTo(keys.key(row));
        assertThat(form.wide().weights()[i]).isEqualTo(keys.weights()[row]);
        assertThat(form.narrow(keys.key(row))).isNull();
      }
    }
  }

  /** Also per row, and after writing in pieces and reading. */
  @Property(tries = 50)
  void tablesHaveTheSumsOfAllRows(@ForAll Random random) {
    for (String name : KINDS) {
      HitterKind kind = HitterKind.parse(name);
      ExactTables tables = new ExactTables(kind.bytes(), NarrowKeys.of(kind), 1 << 20, 3);
      Map<Key, Long> sums = new HashMap<>();
      Map<Key, Long> variances = new HashMap<>();
      for (int i = 0; i < 3; i++) {
        KeyBlock keys = rows(kind, random, 1 + random.nextInt(300));
        long[] weights = new long[keys.rows()];
        assertThat(tables.add(keys, weights)).isNull();
        for (int row = 0; row < keys.rows(); row++) {
          Key key = keys.key(row);
          variances.merge(key, keys.variances()[row], Long::sum);
          assertThat(weights[row]).isEqualTo(sums.merge(key, keys.weights()[row], Long::sum));
        }
      }
      ExactTables read = new ExactTables(kind.bytes(), NarrowKeys.of(kind), 1 << 20, 3);
      BlockBuffer piece = new BlockBuffer(1 << 10);
      tables.write(
          piece,
          () ->
              read.merge(
                  new BlockInput(piece.bytes(), 0, piece.length()), rest -> fail("does not fit")));
      assertThat(read.size()).isEqualTo(sums.size());
      assertThat(read.hitters(1)).hasSize(sums.size());
      sums.forEach(
          (key, sum) -> {
            assertThat(read.estimate(key).value()).isEqualTo(sum);
            assertThat(read.variance(key)).isEqualTo(variances.get(key));
          });
      assertThat(read.total()).isEqualTo(tables.total());
    }
  }

  /** Rows that do not fit are returned; none is lost or counted twice. */
  @Property(tries = 5)
  void rowsThatDoNotFitAreReturned(@ForAll long seed) {
    Random random = new Random(seed);
    HitterKind kind = HitterKind.parse("interface");
    ExactTables tables = new ExactTables(kind.bytes(), NarrowKeys.of(kind), 64 << 10, 3);
    Map<Key, Long> sums = new HashMap<>();
    KeyBlock rest = null;
    while (rest == null) {
      KeyBlock keys = rows(kind, random, 200);
      for (int row = 0; row < keys.rows(); row++) {
        sums.merge(keys.key(row), keys.weights()[row], Long::sum);
      }
      rest = tables.add(keys, new long[keys.rows()]);
      for (int i = 0; rest != null && i < rest.rows(); i++) {
        assertThat(rest.key(i)).isEqualTo(keys.key(tables.restRows()[i]));
      }
    }
    assertThat(tables.bytes()).isLessThanOrEqualTo(64 << 10);
    Map<Key, Long> found = new HashMap<>();
    tables.forEachBlock(100, block -> add(block, found));
    add(rest, found);
    assertThat(found).isEqualTo(sums);
  }

  private static void add(KeyBlock block, Map<Key, Long> sums) {
    for (int row = 0; row < block.rows(); row++) {
      sums.merge(block.key(row), block.weights()[row], Long::sum);
    }
  }

  /** Several tables, each in several pieces, interleaved. */
  @Test
  void tablesOfSeveralAddUp() {
    Random random = new Random(5);
    HitterKind kind = HitterKind.parse("source");
    Map<Key, Long> sums = new HashMap<>();
    List<byte[]> pieces = new ArrayList<>();
    for (int table = 0; table < 3; table++) {
      ExactTables tables = new ExactTables(kind.bytes(), NarrowKeys.of(kind), 8 << 20, 3);
      for (int block = 0; block < 100; block++) {
        KeyBlock keys = KeyBlock.withVariances(kind.bytes(), 500);
        for (int row = 0; row < 500; row++) {
          long low = Addresses.v4Low(random.nextInt(1 << 17));
          keys.add(Key.ofWords(kind.bytes(), row % 10 == 0 ? 1 : 0, low), 1 + row);
        }
        assertThat(tables.add(keys, new long[500])).isNull();
        add(keys, sums);
      }
      BlockBuffer piece = new BlockBuffer(1 << 10);
      int at = table;
      tables.write(piece, () -> pieces.add(Math.min(pieces.size(), at * 2), piece.toBytes()));
    }
    assertThat(pieces).hasSizeGreaterThan(6);
    ExactTables all = new ExactTables(kind.bytes(), NarrowKeys.of(kind), 8 << 20, 3);
    for (byte[] piece : pieces) {
      all.merge(new BlockInput(piece, 0, piece.length), rest -> fail("does not fit"));
    }
    assertThat(all.size()).isEqualTo(sums.size());
    sums.forEach((key, sum) -> assertThat(all.estimate(key).value()).isEqualTo(sum));
    assertThat(all.bytes()).isLessThanOrEqualTo(8 << 20);
  }

  @Test
  void numbersAloneStayAsTheyAre() {
    assertThat(NarrowKeys.of(HitterKind.parse("protocol"))).isNull();
    assertThat(NarrowKeys.of(HitterKind.parse("5-tuple")).bytes()).isEqualTo(13);
  }
}
