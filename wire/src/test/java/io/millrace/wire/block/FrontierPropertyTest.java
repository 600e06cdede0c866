package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class FrontierPropertyTest {
  @Property
  void unionCoversWhatOneOrTheOtherCovers(
      @ForAll("frontiers") Frontier a,
      @ForAll("frontiers") Frontier b,
      @ForAll @IntRange(max = 4) int partition,
      @ForAll @IntRange(max = 10) int offset) {
    assertThat(a.union(b).covers(partition, offset))
        .isEqualTo(a.covers(partition, offset) || b.covers(partition, offset));
  }

  @Property
  void unionDoesNotCareForOrder(@ForAll("frontiers") Frontier a, @ForAll("frontiers") Frontier b) {
    assertThat(a.union(b)).isEqualTo(b.union(a));
    assertThat(a.union(Frontier.EMPTY)).isEqualTo(a);
  }

  @Provide
  Arbitrary<Frontier> frontiers() {
    Arbitrary<Map<Integer, Long>> next =
        Arbitraries.maps(Arbitraries.integers().between(0, 4), Arbitraries.longs().between(0, 10));
    return next.map(Frontier::new);
  }
}
