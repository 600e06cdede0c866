package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Blocks for tests: columns of every shape that the encoding distinguishes. */
final class FlowBlocks {
  private FlowBlocks() {}

  /** A block with columns that are randomly null, constant, in a narrow range, or arbitrary. */
  static FlowBlock random(Random random, int rows) {
    FlowBlock block = new FlowBlock(rows + random.nextInt(3));
    block.rows(rows);
    block.logPosition(random.nextInt(100), random.nextLong() >>> 1);
    for (FlowColumn column : FlowColumn.ALL) {
      if (column.optional() && random.nextBoolean()) {
        continue;
      }
      if (column.type().isInt()) {
        fill(random, block.ints(column));
      } else if (column.type().isLong()) {
        fill(random, block.longs(column));
      } else {
        fill(random, block.addressHigh(column));
        fill(random, block.addressLow(column));
      }
    }
    fill(random, block.logIndex());
    for (int i = random.nextInt(3); i > 0; i--) {
      JoinedColumn.Kind kind =
          random.nextBoolean() ? JoinedColumn.Kind.NUMBER : JoinedColumn.Kind.TEXT;
      int[] values = new int[rows + random.nextInt(3)];
      fill(random, values);
      block.joined().add(new JoinedColumn("spalte_ä" + i, kind, random.nextLong(), values));
    }
    for (int i = random.nextInt(40); i > 0; i--) {
      byte[] text = "ü".repeat(random.nextInt(20)).getBytes(StandardCharsets.UTF_8);
      block.names().add(random.nextLong(), text, 0, text.length);
    }
    return block;
  }

  private static void fill(Random random, int[] values) {
    int shape = random.nextInt(6);
    int base = random.nextInt();
    for (int i = 0; i < values.length; i++) {
      values[i] =
          switch (shape) {
            case 0 -> FlowBlock.NULL;
            case 1 -> base;
            case 2 -> random.nextInt(257) - 1;
            case 3 -> base + random.nextInt(65_536);
            case 4 -> random.nextBoolean() ? Integer.MIN_VALUE : Integer.MAX_VALUE;
            default -> random.nextInt();
          };
    }
  }

  private static void fill(Random random, long[] values) {
    int shape = random.nextInt(7);
    long base = random.nextLong();
    for (int i = 0; i < values.length; i++) {
      values[i] =
          switch (shape) {
            case 0 -> FlowBlock.NULL;
            case 1 -> base;
            case 2 -> random.nextInt(257) - 1;
            case 3 -> base + random.nextInt(65_536);
            case 4 -> base + random.nextInt();
            case 5 -> random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE;
            default -> random.nextLong();
          };
    }
  }

  /** Traffic like that of an exchange point, for measurements of speed. */
  static FlowBlock traffic(Random random, int rows) {
    FlowBlock block = new FlowBlock(rows);
    block.rows(rows);
    block.logPosition(3, 123_456);
    long exporter = Addresses.v4Low(0x0A000001);
    for (FlowColumn column : FlowColumn.ALL) {
      for (int i = 0; i < rows && !column.optional(); i++) {
        switch (column) {
          case TIME -> block.longs(column)[i] = 1_700_000_000_000_000L + i / 7 * 10L;
          case EXPORTER -> block.addressLow(column)[i] = exporter;
          case SRC_ADDR, DST_ADDR -> {
            boolean v6 = random.nextInt(6) == 0;
            block.addressHigh(column)[i] = v6 ? 0x2001_0DB8L << 32 | random.nextInt(1 << 20) : 0;
            block.addressLow(column)[i] =
                v6 ? random.nextLong() : Addresses.v4Low(random.nextInt());
          }
          case PROTO -> block.ints(column)[i] = random.nextInt(4) == 0 ? 17 : 6;
          case SRC_PORT, DST_PORT -> block.ints(column)[i] = random.nextInt(65_536);
          case BYTES -> block.longs(column)[i] = 40L + random.nextInt(1461);
          case PACKETS -> block.longs(column)[i] = 1;
          case SAMPLING_RATE -> block.ints(column)[i] = 16_384;
          case TCP_FLAGS -> block.ints(column)[i] = random.nextInt(64);
          case ETHER_TYPE -> block.ints(column)[i] = 0x0800;
          case IN_IF, OUT_IF, SRC_VLAN, DST_VLAN -> block.ints(column)[i] = random.nextInt(400);
          case TOS, OUT_IF_FORMAT -> block.ints(column)[i] = 0;
          default -> {
            if (column.type().isInt()) {
              block.ints(column)[i] = FlowBlock.NULL;
            } else {
              block.addressHigh(column)[i] = Addresses.NULL;
              block.addressLow(column)[i] = Addresses.NULL;
            }
          }
        }
      }
    }
    Arrays.setAll(block.logIndex(), i -> i);
    for (String name : new String[] {"src_as", "dst_as"}) {
      int[] values = new int[rows];
      Arrays.setAll(values, i -> random.nextInt(70_000));
      block.joined().add(new JoinedColumn(name, JoinedColumn.Kind.NUMBER, 0, values));
      int[] texts = new int[rows];
      Arrays.setAll(texts, i -> random.nextInt(500_000));
      block.joined().add(new JoinedColumn(name + "_name", JoinedColumn.Kind.TEXT, 1L << 40, texts));
    }
    return block;
  }

  /** Fails unless both have the same rows, joined columns and names. */
  static void assertSame(FlowBlock actual, FlowBlock expected) {
    int rows = expected.rows();
    assertThat(actual.rows()).isEqualTo(rows);
    assertThat(actual.logPartition()).isEqualTo(expected.logPartition());
    assertThat(actual.logOffset()).isEqualTo(expected.logOffset());
    assertThat(front(actual.logIndex(), rows)).isEqualTo(front(expected.logIndex(), rows));
    for (FlowColumn column : FlowColumn.ALL) {
      assertThat(front(actual.ints(column), rows))
          .as("%s", column)
          .isEqualTo(front(expected.ints(column), rows));
      assertThat(front(actual.longs(column), rows))
          .as("%s", column)
          .isEqualTo(front(expected.longs(column), rows));
      assertThat(front(actual.addressHigh(column), rows))
          .as("%s", column)
          .isEqualTo(front(expected.addressHigh(column), rows));
      assertThat(front(actual.addressLow(column), rows))
          .as("%s", column)
          .isEqualTo(front(expected.addressLow(column), rows));
    }
    assertThat(actual.joined()).hasSameSizeAs(expected.joined());
    for (int i = 0; i < expected.joined().size(); i++) {
      JoinedColumn a = actual.joined().get(i);
      JoinedColumn e = expected.joined().get(i);
      assertThat(a.name()).isEqualTo(e.name());
      assertThat(a.kind()).isEqualTo(e.kind());
      assertThat(a.base()).isEqualTo(e.base());
      assertThat(front(a.values(), rows)).isEqualTo(front(e.values(), rows));
    }
    assertThat(actual.names().size()).isEqualTo(expected.names().size());
    for (int i = 0; i < expected.names().size(); i++) {
      assertThat(actual.names().id(i)).isEqualTo(expected.names().id(i));
      assertThat(actual.names().text(i)).isEqualTo(expected.names().text(i));
    }
  }

  private static int[] front(int[] values, int rows) {
    return values == null ? null : Arrays.copyOf(values, rows);
  }

  private static long[] front(long[] values, int rows) {
    return values == null ? null : Arrays.copyOf(values, rows);
  }
}
