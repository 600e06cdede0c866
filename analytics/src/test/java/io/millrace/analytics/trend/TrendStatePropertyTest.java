package io.millrace.analytics.trend;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class TrendStatePropertyTest {
  private static final long MINUTE = 60_000_000;

  /**
   * Keywords of very different frequencies that jump, appear and vanish, out of order by up to a
   * minute.
   */
  static List<PlainTrends.Row> rows(long seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    List<PlainTrends.Row> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int keyword = random.nextInt(1 + random.nextInt(30));
      long micros = Math.max(0, 12 * MINUTE * i / count - random.nextLong(MINUTE));
      long jump = (micros / MINUTE * 31 + keyword * 17L) % 7 == 0 ? 20 : 1;
      rows.add(new PlainTrends.Row(micros, "keyword " + keyword, jump * (1 + random.nextInt(3))));
    }
    return rows;
  }

  static TrendState.Outcome add(TrendState state, PlainTrends.Row row) {
    byte[] utf8 = row.keyword().getBytes(StandardCharsets.UTF_8);
    int hash = TrendRows.hash(utf8, 0, utf8.length);
    int indexHash = ByteKeyTable.indexHash(utf8, 0, utf8.length);
    return state.add(hash, indexHash, utf8, 0, utf8.length, row.micros(), row.count(), 0);
  }

  @Property(tries = 60)
  void trendsEqualThoseOfPlainMaps(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 6) int buckets, @ForAll boolean falls)
      throws Exception {
    TrendSettings settings =
        TrendSettings.defaults().withBuckets(buckets).withRule(1, 1, 1.2).withFalls(falls);
    List<PlainTrends.Row> rows = rows(seed, 600);
    TrendState state = new TrendState(KeyGroups.all(), settings, false);
    List<Trend> trends = new ArrayList<>();
    state.advance(0, judged -> trends.add(judged.trend()));
    long newest = 0;
    for (PlainTrends.Row row : rows) {
      newest = Math.max(newest, row.micros());
      assertThat(add(state, row)).isEqualTo(TrendState.Outcome.COUNTED);
      state.advance(Math.max(0, newest - MINUTE - 1), judged -> trends.add(judged.trend()));
    }
    state.advance(Long.MAX_VALUE, judged -> trends.add(judged.trend()));
    trends.sort(Comparator.comparingLong(Trend::begin).thenComparing(Trend::keyword));
    assertThat(trends).isEqualTo(PlainTrends.of(rows, settings));
    assertThat(state.keywords()).isZero();
    assertThat(state.waiting()).isZero();
  }
}
