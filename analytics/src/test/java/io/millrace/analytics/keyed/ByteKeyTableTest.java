package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.testing.Lengths;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class ByteKeyTableTest {
  private static final TableSchema CLICKS =
      TableSchema.builder().text("campaign").address("client").number("clicks").build();
  private static final TableSchema SUMS =
      TableSchema.builder().number("clicks").text("campaign").address("client").build();
  private static final KeyColumns KEYS = KeyColumns.of(CLICKS, "campaign", "client");

  /** Clicks by campaign and client, emitted at the end of the input. */
  private static final class Clicks implements KeyedAnalyzer<TableBlock, TableBlock> {
    private final KeyBytes key = new KeyBytes();
    private ByteKeyTable clicks;

    @Override
    public void open(AnalyzerContext context) {
      clicks = new ByteKeyTable(context.keyGroups(), 1);
    }

    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      for (int row = 0; row < block.rows(); row++) {
        int entry = clicks.entry(KEYS.read(block, row, key));
        clicks.values(0)[entry] += block.longs(2)[row];
      }
    }

    @Override
    public void watermark(long micros, Emitter<TableBlock> out) {
      if (micros < Long.MAX_VALUE) {
        return;
      }
      TableBlock sums = new TableBlock(SUMS, clicks.size());
      for (int entry = 0; entry < clicks.size(); entry++) {
        sums.longs(0)[entry] = clicks.values(0)[entry];
        KEYS.write(clicks.key(entry, key), sums, entry, 1);
      }
      sums.rows(clicks.size());
      clicks.clear();
      out.emit(sums);
    }

    @Override
    public StateSnapshot snapshot() {
      return clicks.snapshot();
    }

    @Override
    public void restore(int group, BlockInput in) {
      clicks.restore(in);
    }
  }

  private static void click(TableBlock block, String campaign, long low, long clicks) {
    block.reserve(1);
    int row = block.rows();
    block.texts(0).add(campaign);
    block.addressHigh(1)[row] = 0x20010db8L << 32;
    block.addressLow(1)[row] = low;
    block.longs(2)[row] = clicks;
    block.rows(row + 1);
  }

  @Test
  void keysOfSeveralColumnsArePartitionedAndCounted() {
    TableBlock first = new TableBlock(CLICKS, 2);
    click(first, "spring", 1, 1);
    click(first, "spring", 2, 10);
    click(first, null, 1, 100);
    TableBlock second = new TableBlock(CLICKS, 2);
    click(second, "", 1, 1_000);
    click(second, "spring", 1, 10_000);

    AnalyzerTester.of(Clicks::new)
        .keyedBy(KEYS)
        .feed(first)
        .feed(second)
        .expect(
            "10001 spring 2001:db8::1",
            "10 spring 2001:db8::2",
            "100 null 2001:db8::1",
            "1000  2001:db8::1");
  }

  /** A group's bytes of version 1 as in checkpoints, which must stay readable. */
  private static final String VERSION_1 =
      "000101" // all of a group, version 1, one value
          + "01000000"
          + "8d444ef9" // hash
          + "0e000000" // length of the key
          + "0300000061620700000000000000" // "ab", 7
          + "000500000000000000"; // the value, in full

  @Test
  void stateOfVersionOneIsReadAndWritten() throws IOException {
    KeyGroups all = KeyGroups.all();
    KeyBytes key = new KeyBytes().text("ab").number(7);
    byte[] state = HexFormat.of().parseHex(VERSION_1);

    ByteKeyTable table = new ByteKeyTable(all, 1);
    table.restore(new BlockInput(state, 0, state.length));

    assertThat(table.values(0)[table.find(key)]).isEqualTo(5);
    BlockBuffer out = new BlockBuffer(16);
    table.snapshot().write(all.groupOf(key.hash()), out);
    assertThat(HexFormat.of().formatHex(out.toBytes())).isEqualTo(VERSION_1);
  }

  @Test
  void rejectsInvalidBytes() {
    ByteKeyTable table = new ByteKeyTable(KeyGroups.all(), 1);
    for (byte[] bytes :
        new byte[][] {
          {0, 2, 1, 0, 0, 0, 0}, {0, 1, 2, 0, 0, 0, 0}, {7, 1, 1}, {0, 1, 1, 127, 0, 0, 0}
        }) {
      assertThatThrownBy(() -> table.restore(new BlockInput(bytes, 0, bytes.length)))
          .isInstanceOf(BlockFormatException.class);
    }
    assertThat(table.size()).isZero();
  }

  @Test
  void rejectsAKeyOfAnUnknownColumn() {
    assertThatThrownBy(() -> KeyColumns.of(CLICKS, "client", "server"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'server'");
  }

  @Test
  void keysOfAnyLengthAreCountedAndRestored() {
    int[] lengths = Lengths.around();
    TableBlock block = new TableBlock(CLICKS, lengths.length);
    List<String> expected = new ArrayList<>();
    for (int length : lengths) {
      String campaign = Lengths.text(length);
      click(block, campaign, 1, length + 1);
      expected.add(length + 1 + " " + campaign + " 2001:db8::1");
    }
    AnalyzerTester.of(Clicks::new)
        .keyedBy(KEYS)
        .feed(block)
        .feed(new TableBlock(CLICKS, 0))
        .expect(expected.toArray(String[]::new));
  }

  @Test
  void readsAnEmptyKeyAfterBytesThatFillTheirArray() {
    byte[] bytes = Lengths.bytes(256);
    ByteKeyTable table = new ByteKeyTable(KeyGroups.all(), 0);
    int[] indexHashes = {
      ByteKeyTable.indexHash(bytes, 0, bytes.length), ByteKeyTable.indexHash(bytes, 0, 0)
    };
    table.entry(1, indexHashes[0], bytes, 0, bytes.length);
    int empty = table.entry(2, indexHashes[1], bytes, 0, 0);

    table.touch(indexHashes, 0, indexHashes.length);

    assertThat(table.find(indexHashes[1], bytes, 0, 0)).isEqualTo(empty);
  }
}
