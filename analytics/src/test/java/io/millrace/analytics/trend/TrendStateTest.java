package io.millrace.analytics.trend;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TrendStateTest {
  private static final long MINUTE = 60_000_000;
  private static final long HOUR = 60 * MINUTE;
  private static final int ROOM = 1_024;

  @Test
  void keepsToItsCapacityAndStillFindsLargeNewKeywords() throws Exception {
    TrendSettings settings = TrendSettings.defaults().withBuckets(2).withKeywords(ROOM).withSeed(7);
    TrendState state = new TrendState(KeyGroups.all(), settings, false);
    List<Trend> trends = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(3);
    long crowdedOut = 0;
    state.advance(0, judged -> {});
    for (int minute = 0; minute < 6; minute++) {
      for (int i = 0; i < 100_000; i++) {
        // keywords that occur once, one that always occurs, and one that starts late
        String keyword = "once " + random.nextLong();
        if (i % 500 == 250) {
          keyword = "steady";
        } else if (minute == 5 && i > 50_000 && i % 50 == 0) {
          keyword = "rising";
        }
        PlainTrends.Row row = new PlainTrends.Row(minute * MINUTE + i * 600L, keyword, 1);
        crowdedOut +=
            TrendStatePropertyTest.add(state, row) == TrendState.Outcome.CROWDED_OUT ? 1 : 0;
        assertThat(state.waiting()).isLessThanOrEqualTo(2 * ROOM);
      }
      state.advance((minute + 1) * MINUTE - 1, judged -> trends.add(judged.trend()));
      assertThat(state.keywords()).isLessThanOrEqualTo(ROOM);
    }
    assertThat(crowdedOut).isGreaterThan(500_000);
    assertThat(trends).extracting(Trend::keyword).contains("rising");
    Trend rising =
        trends.stream().filter(t -> t.keyword().equals("rising")).findAny().orElseThrow();
    // weight that collisions may have added is subtracted, so the count may be below the truth, but
    // not above
    assertThat(rising.count()).isBetween(100L, 1_000L);
    assertThat(rising.begin()).isEqualTo(5 * MINUTE);
  }

  @Test
  void aLongKeywordTakesSeveralPlaces() throws Exception {
    int room = 16 * ROOM;
    TrendState state =
        new TrendState(KeyGroups.all(), TrendSettings.defaults().withKeywords(room), false);
    SplittableRandom random = new SplittableRandom(4);
    String rest = "x".repeat(1_000); // eight places each, with the number first
    state.advance(0, judged -> {});
    for (int minute = 0; minute < 3; minute++) {
      for (int i = 0; i < 20_000; i++) {
        var unused =
            TrendStatePropertyTest.add(
                state, new PlainTrends.Row(minute * MINUTE, random.nextLong() + rest, 2));
      }
      assertThat(state.waiting()).isBetween(room / 9, room / 8);
      state.advance((minute + 1) * MINUTE - 1, judged -> {});
      assertThat(state.keywords()).isBetween(room / 16, room / 8);
    }
  }

  @Test
  void keywordsThatOccurOnceGetNoUsualHours() throws Exception {
    TrendSettings settings =
        TrendSettings.defaults()
            .withBucket(Duration.ofHours(1))
            .withKeywords(ROOM)
            .withBaseline(TrendSettings.Baseline.USUAL);
    TrendState state = new TrendState(KeyGroups.all(), settings, false);
    List<Trend> trends = new ArrayList<>();
    state.advance(0, judged -> {});
    for (long hour = 1; hour <= 9 * 24; hour++) {
      for (int i = 0; i < 2 * ROOM && hour < 3; i++) { // one per place, and one more
        var unused =
            TrendStatePropertyTest.add(
                state, new PlainTrends.Row(hour * HOUR, "once " + hour + " " + i, 1));
      }
      long count = hour % 24 == 8 ? 1_000 : 100;
      var unused =
          TrendStatePropertyTest.add(state, new PlainTrends.Row(hour * HOUR, "news", count));
      state.advance((hour + 1) * HOUR - 1, judged -> trends.add(judged.trend()));
    }
    assertThat(trends)
        .filteredOn(trend -> trend.keyword().equals("news"))
        .allMatch(trend -> trend.begin() < 8 * 24 * HOUR)
        .isNotEmpty();
  }

  @Test
  void comparesWithTheSameHourOfPastDaysOnceSevenAreKnown() throws Exception {
    TrendSettings settings =
        TrendSettings.defaults()
            .withBucket(Duration.ofHours(1))
            .withBaseline(TrendSettings.Baseline.USUAL);
    TrendState usual = new TrendState(KeyGroups.all(), settings, false);
    TrendState recent =
        new TrendState(
            KeyGroups.all(), settings.withBaseline(TrendSettings.Baseline.RECENT), false);
    List<Trend> byUsual = new ArrayList<>();
    List<Trend> byRecent = new ArrayList<>();
    usual.advance(0, judged -> {});
    recent.advance(0, judged -> {});
    for (long hour = 1; hour <= 12 * 24; hour++) {
      // ten times as much at eight each morning; on the eleventh day also at three
      boolean isMorning = hour % 24 == 8;
      long count = isMorning || hour == 10 * 24 + 3 ? 1_000 : 100;
      PlainTrends.Row row = new PlainTrends.Row(hour * HOUR, "news", count);
      TrendStatePropertyTest.add(usual, row);
      TrendStatePropertyTest.add(recent, row);
      usual.advance((hour + 1) * HOUR - 1, judged -> byUsual.add(judged.trend()));
      recent.advance((hour + 1) * HOUR - 1, judged -> byRecent.add(judged.trend()));
    }
    assertThat(byRecent).extracting(t -> t.begin() / HOUR % 24).contains(8L).hasSize(13);
    List<Trend> taught = byUsual.stream().filter(trend -> trend.begin() >= 8 * 24 * HOUR).toList();
    assertThat(taught).hasSize(1);
    assertThat(taught.get(0).begin()).isEqualTo((10 * 24 + 3) * HOUR);
    // hours are kept in steps of 12%
    assertThat(taught.get(0).expectation()).isBetween(94.0, 106.0);
  }
}
