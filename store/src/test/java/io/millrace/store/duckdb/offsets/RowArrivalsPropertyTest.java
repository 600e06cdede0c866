package io.millrace.store.duckdb.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever is stored and rewound: no row behind a frontier arrived before what is said. */
class RowArrivalsPropertyTest {
  private static final long SECOND = 1_000_000;
  private static final int PARTITIONS = 3;

  private static long micros(String since) {
    return Long.parseLong(since.replaceAll(".*\\((-?[0-9]+).*", "$1"));
  }

  /** Least arrival of each value, by partition and offset. */
  private static List<NavigableMap<Long, Long>> none() {
    List<NavigableMap<Long, Long>> none = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      none.add(new TreeMap<>());
    }
    return none;
  }

  private static Frontier frontier(Random random, long[] next) {
    Map<Integer, Long> some = new TreeMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      some.put(partition, (long) (next[partition] * (1 - Math.pow(random.nextDouble(), 4))));
    }
    return new Frontier(some);
  }

  @Property(tries = 60)
  void noRowIsEarlier(@ForAll long seed) {
    Random random = new Random(seed);
    RowArrivals arrivals = new RowArrivals();
    List<NavigableMap<Long, Long>> rows = none();
    long[] next = new long[PARTITIONS];
    arrivals.nothingAfter(Frontier.EMPTY);
    int told = 0;
    for (int step = 0; step < 20_000; step++) {
      int partition = random.nextInt(1 + random.nextInt(PARTITIONS));
      long late = random.nextInt(100) == 0 ? random.nextInt(10_000) : random.nextInt(2);
      long time = step * SECOND / 4 - late * SECOND;
      long offset = next[partition]++;
      arrivals.storing(partition, offset, time);
      rows.get(partition).merge(offset, time, Math::min);
      if (random.nextInt(500) == 0) {
        Frontier asked = frontier(random, next);
        String since = arrivals.since(asked, asked.next().keySet());
        told += since.isEmpty() ? 0 : 1;
        long least =
            asked.next().entrySet().stream()
                .flatMapToLong(
                    from ->
                        rows.get(from.getKey()).tailMap(from.getValue()).values().stream()
                            .mapToLong(Long::longValue))
                .min()
                .orElse(Long.MAX_VALUE);
        assertThat(since.isEmpty() || micros(since) <= least).isTrue();
      }
      if (random.nextInt(3_000) == 0) {
        Frontier back = frontier(random, next);
        back.next()
            .forEach(
                (from, behind) -> {
                  rows.get(from).tailMap(behind).clear();
                  next[from] = behind;
                });
        if (random.nextBoolean()) {
          RowArrivals after = new RowArrivals();
          after.follow(arrivals);
          arrivals = after;
        }
        arrivals.nothingAfter(back);
      }
    }
    assertThat(told).isPositive();
  }

  @Example
  void rowsThatComeInOrderAreKnownToSomeSeconds() {
    RowArrivals arrivals = new RowArrivals();
    arrivals.nothingAfter(new Frontier(Map.of(0, 100L)));
    LongStream.range(100, 10_000)
        .forEach(offset -> arrivals.storing(0, offset, offset * SECOND / 10));
    for (long next : new long[] {8_000, 9_990}) {
      String since = arrivals.since(new Frontier(Map.of(0, next)), Set.of(0));
      assertThat(micros(since)).isBetween(next * SECOND / 10 - 5 * SECOND, next * SECOND / 10);
    }
  }

  /** A job that begins anew comes back further than the rollups: they are behind the others. */
  @Example
  void whatWasToldBeforeARewindIsStillKnown() {
    RowArrivals arrivals = new RowArrivals();
    arrivals.nothingAfter(new Frontier(Map.of(0, 0L, 1, 500L)));
    LongStream.range(0, 1_000).forEach(offset -> arrivals.storing(0, offset, offset * SECOND));
    LongStream.range(500, 600).forEach(offset -> arrivals.storing(1, offset, offset * SECOND));
    RowArrivals after = new RowArrivals();
    after.follow(arrivals);
    for (RowArrivals each : List.of(arrivals, after)) {
      each.nothingAfter(new Frontier(Map.of(0, 900L, 1, 600L)));
      each.storing(0, 900, 20 * SECOND);
      String since = each.since(new Frontier(Map.of(0, 800L, 1, 590L)), Set.of(0, 1));
      assertThat(micros(since)).isEqualTo(20 * SECOND);
      since = each.since(new Frontier(Map.of(0, 400L, 1, 500L)), Set.of(0, 1));
      assertThat(micros(since)).isEqualTo(20 * SECOND);
      assertThat(each.since(new Frontier(Map.of(1, 499L)), Set.of(1))).as("before").isEmpty();
    }
  }

  @Example
  void nothingIsSaidOfWhatNobodyHasTold() {
    RowArrivals arrivals = new RowArrivals();
    arrivals.storing(0, 5, 5 * SECOND);
    Frontier rolled = new Frontier(Map.of(0, 5L));
    assertThat(arrivals.since(rolled, Set.of(0))).as("not rewound").isEmpty();
    arrivals.nothingAfter(new Frontier(Map.of(0, 5L, 1, 7L)));
    assertThat(arrivals.since(rolled, Set.of(0))).isNotEmpty();
    assertThat(arrivals.since(new Frontier(Map.of(0, 4L)), Set.of(0))).as("before").isEmpty();
    assertThat(arrivals.since(rolled, Set.of(0, 1))).as("another's first row").isEmpty();
    LongStream.range(6, 10_000).forEach(offset -> arrivals.storing(0, offset, offset * 9 * SECOND));
    assertThat(arrivals.since(rolled, Set.of(0))).as("long ago").isEmpty();
    assertThat(arrivals.since(new Frontier(Map.of(0, 9_900L)), Set.of(0))).isNotEmpty();
    arrivals.unknown();
    assertThat(arrivals.since(new Frontier(Map.of(0, 9_900L)), Set.of(0))).as("import").isEmpty();
  }
}
