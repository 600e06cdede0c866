package io.millrace.wire.netflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class SequenceGapsPropertyTest {
  private static final int NUMBERS = 60;

  /** Numbers that wrap, in few enough gaps to track all of them. */
  @Property
  void knowsEachMissingNumberAndNoOther(
      @ForAll int start,
      @ForAll @Size(max = 12)
          List<@IntRange(min = 0, max = NUMBERS * NUMBERS - 1) Integer> datagrams) {
    SequenceGaps gaps = new SequenceGaps();
    BitSet missing = new BitSet();
    gaps.add(start, start + NUMBERS);
    missing.set(0, NUMBERS);
    for (int datagram : datagrams) {
      int first = Math.min(datagram / NUMBERS, datagram % NUMBERS);
      int end = 1 + Math.max(datagram / NUMBERS, datagram % NUMBERS);
      boolean isMissing = missing.nextClearBit(first) >= end;
      assertThat(gaps.fill(start + first, start + end)).isEqualTo(isMissing);
      if (isMissing) {
        missing.clear(first, end);
      }
    }
    BitSet known = new BitSet();
    for (int i = 0; i < gaps.size(); i++) {
      assertThat(gaps.to(i) - gaps.from(i)).as("no gap of nothing").isPositive();
      known.set(gaps.from(i) - start, gaps.to(i) - start);
    }
    assertThat(known).isEqualTo(missing);
  }
}
