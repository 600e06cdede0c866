package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TableBlockTest {
  private static final String GOLDEN = "table-block-version-1.bin";

  private final BlockBuffer buffer = new BlockBuffer(0);

  /** The block in the golden file of version 1; must never change. */
  private static TableBlock golden() {
    TableSchema schema =
        TableSchema.builder()
            .time("minute")
            .address("source")
            .number("packets")
            .fraction("share")
            .text("country")
            .build();
    TableBlock block = new TableBlock(schema, 2);
    block.longs(0)[0] = 1_700_000_040_000_000L;
    block.longs(0)[1] = TableBlock.NULL;
    block.addressHigh(1)[0] = 0;
    block.addressLow(1)[0] = Addresses.v4Low(0xC0000201);
    block.addressHigh(1)[1] = Addresses.NULL;
    block.addressLow(1)[1] = Addresses.NULL;
    block.longs(2)[0] = -17;
    block.longs(2)[1] = TableBlock.NULL;
    block.doubles(3)[0] = 0.25;
    block.doubles(3)[1] = Double.NaN;
    block.texts(4).add("Österreich");
    block.texts(4).add((String) null);
    block.rows(2);
    return block;
  }

  /** Rewrites the golden file; argument: the resources directory. */
  public static void main(String[] args) throws IOException {
    BlockBuffer out = new BlockBuffer(0);
    BlockCodec.encode(golden(), out);
    Files.write(Path.of(args[0], GOLDEN), out.toBytes());
  }

  private static byte[] goldenBytes() throws IOException {
    try (InputStream in = TableBlockTest.class.getResourceAsStream(GOLDEN)) {
      assertThat(in).as(GOLDEN).isNotNull();
      return in.readAllBytes();
    }
  }

  @Test
  void readsAndWritesTheBytesOfVersion1() throws IOException {
    byte[] bytes = goldenBytes();

    TableBlocks.assertSame((TableBlock) BlockCodec.decode(bytes, 0, bytes.length), golden());
    BlockCodec.encode(golden(), buffer);
    assertThat(buffer.toBytes()).isEqualTo(bytes);
  }

  @Test
  void printsItsValues() {
    TableBlock block = golden();

    assertThat(IntStream.range(0, 5).mapToObj(column -> block.text(0, column)))
        .containsExactly("1700000040000000", "192.0.2.1", "-17", "0.25", "Österreich");
    assertThat(IntStream.range(0, 5).mapToObj(column -> block.text(1, column))).containsOnlyNulls();
  }

  @Test
  void selectsRowsInTheOrderGiven() {
    TableBlock block = TableBlocks.random(new Random(3), 20);

    TableBlock selected = block.select(new int[] {7, 0, 19, 7}, 3);

    assertThat(selected.rows()).isEqualTo(3);
    for (int column = 0; column < block.schema().size(); column++) {
      assertThat(selected.text(0, column)).isEqualTo(block.text(7, column));
      assertThat(selected.text(1, column)).isEqualTo(block.text(0, column));
      assertThat(selected.text(2, column)).isEqualTo(block.text(19, column));
    }
  }

  @Test
  void isUsedAgainAfterClear() {
    TableBlock block = golden();
    block.clear();
    assertThat(block.rows()).isZero();

    block.texts(4).add("new");
    block.rows(1);

    assertThat(block.text(0, 4)).isEqualTo("new");
  }

  @Test
  void aColumnOfTextsMustHaveAsManyRows() {
    TableBlock block = golden();

    assertThatThrownBy(() -> block.rows(3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("3 rows, found 2 texts in country");
  }

  @Test
  void rejectsABlockThatIsCutAnywhere() throws IOException {
    byte[] bytes = goldenBytes();

    for (int length = 0; length < bytes.length; length++) {
      int cut = length;
      assertThatThrownBy(() -> BlockCodec.decode(bytes, 0, cut))
          .as("%d bytes", cut)
          .isInstanceOf(BlockFormatException.class);
    }
  }

  @Test
  void rejectsColumnsThatNoBytesProve() {
    BlockCodec.encode(golden(), buffer);
    buffer.setInt(4, 100);

    assertThatThrownBy(() -> BlockCodec.decode(buffer.bytes(), 0, buffer.length()))
        .isInstanceOf(BlockFormatException.class);
  }

  @Test
  void rejectsNamesThatAreNone() {
    assertThatThrownBy(() -> TableSchema.builder().number("Bytes"))
        .hasMessageStartingWith("column 'Bytes': expected lower-case");
    assertThatThrownBy(() -> TableSchema.builder().number("a").text("a").build())
        .hasMessage("column 'a' is declared twice");
    assertThatThrownBy(() -> TableSchema.builder().build()).hasMessageContaining("0 columns");
  }

  @Test
  void findsAColumnByName() {
    assertThat(golden().schema().indexOf("packets")).isEqualTo(2);
    assertThat(golden().schema().indexOf("bytes")).isEqualTo(-1);
  }
}
