package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FlowBlockTest {
  @Test
  void hasTheArraysThatTheTypeOfEachColumnAsksFor() {
    FlowBlock block = new FlowBlock(3);

    for (FlowColumn column : FlowColumn.ALL) {
      boolean address = column.type() == FlowColumn.Type.ADDRESS;
      assertThat(block.ints(column) != null).as("%s", column).isEqualTo(column.type().isInt());
      assertThat(block.longs(column) != null).as("%s", column).isEqualTo(column.type().isLong());
      assertThat(block.addressHigh(column) != null).as("%s", column).isEqualTo(address);
      assertThat(block.addressLow(column) != null).as("%s", column).isEqualTo(address);
    }
  }

  @Test
  void holdsAnOptionalColumnOnceSomebodyAsksForIt() {
    FlowBlock block = new FlowBlock(2);
    assertThat(block.has(FlowColumn.TIME)).isTrue();
    assertThat(block.has(FlowColumn.FLOW_START)).isFalse();

    block.longs(FlowColumn.FLOW_START)[1] = 5;
    block.addressHigh(FlowColumn.NAT_SRC_ADDR)[0] = 0;

    assertThat(block.has(FlowColumn.FLOW_START)).isTrue();
    assertThat(block.longs(FlowColumn.FLOW_START)).containsExactly(FlowBlock.NULL, 5);
    assertThat(block.addressLow(FlowColumn.NAT_SRC_ADDR)).containsOnly(Addresses.NULL);
  }

  @Test
  void optionalColumnsAreNullWhereNobodyWrote() {
    FlowBlock block = new FlowBlock(1);
    block.ints(FlowColumn.DIRECTION)[0] = 1;
    block.rows(1);
    block.reserve(9);

    assertThat(block.ints(FlowColumn.DIRECTION)).startsWith(1, FlowBlock.NULL, FlowBlock.NULL);
    assertThat(block.ints(FlowColumn.DIRECTION)[block.capacity() - 1]).isEqualTo(FlowBlock.NULL);

    block.clear();

    assertThat(block.rows()).isZero();
    assertThat(block.ints(FlowColumn.DIRECTION)).containsOnly(FlowBlock.NULL);
  }

  @Test
  void keepsItsRowsWhenItGrows() {
    FlowBlock block = FlowBlocks.random(new Random(1), 10);
    FlowBlock same = FlowBlocks.random(new Random(1), 10);

    block.reserve(1000);

    assertThat(block.capacity()).isGreaterThanOrEqualTo(1010);
    assertThat(block.logIndex()).hasSizeGreaterThanOrEqualTo(1010);
    FlowBlocks.assertSame(block, same);
  }

  @Test
  void growsFromNothing() {
    FlowBlock block = new FlowBlock(0);
    block.reserve(1);
    block.longs(FlowColumn.TIME)[0] = 7;
    block.rows(1);

    assertThat(block.rows()).isEqualTo(1);
    assertThat(block.capacity()).isGreaterThanOrEqualTo(1);
  }

  @Test
  void doesNotGrowWhereThereIsRoom() {
    FlowBlock block = new FlowBlock(5);
    long[] times = block.longs(FlowColumn.TIME);
    block.reserve(5);

    assertThat(block.longs(FlowColumn.TIME)).isSameAs(times);
  }

  @Test
  void selectingAllRowsGivesTheSameRowsWithoutNamesAndCounters() {
    FlowBlock block = FlowBlocks.random(new Random(11), 9);

    FlowBlock all = block.select(new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8}, 9);

    assertThat(all.names().size()).isZero();
    assertThat(all.counters().size()).isZero();
    block.names().clear();
    block.counters().clear();
    FlowBlocks.assertSame(all, block);
  }

  @Test
  void selectedRowsKeepTheirPlaceInTheLog() {
    FlowBlock block = FlowBlocks.random(new Random(12), 5);

    FlowBlock selected = block.select(new int[] {3, 1}, 2);

    assertThat(selected.logPartition()).isEqualTo(block.logPartition());
    assertThat(selected.logOffset()).isEqualTo(block.logOffset());
    assertThat(selected.logIndex()).containsExactly(block.logIndex()[3], block.logIndex()[1]);
    assertThat(selected.longs(FlowColumn.BYTES))
        .containsExactly(block.longs(FlowColumn.BYTES)[3], block.longs(FlowColumn.BYTES)[1]);
    for (int i = 0; i < block.joined().size(); i++) {
      assertThat(selected.joined().get(i).values())
          .containsExactly(block.joined().get(i).values()[3], block.joined().get(i).values()[1]);
    }
  }
}
