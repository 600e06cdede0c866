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
}
