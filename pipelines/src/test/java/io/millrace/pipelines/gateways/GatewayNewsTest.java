package io.millrace.pipelines.gateways;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GatewayNewsTest {
  private static final LocalDate DAY = LocalDate.of(2026, 3, 1);

  /** Bytes of each day's only gateway. */
  private final SortedMap<LocalDate, Long> days = new TreeMap<>();

  private final GatewayNews news =
      new GatewayNews(
          () -> {
            SortedMap<LocalDate, String> marks = new TreeMap<>();
            days.forEach((day, bytes) -> marks.put(day, bytes.toString()));
            return marks;
          },
          day ->
              new TopGateways.Top(
                  Optional.of(day), 1, List.of(row(1, "gw", Math.min(days.get(day), 9), 0, 0))));

  private static TopGateways.Row row(int rank, String gateway, long total, long tx, long rx) {
    return new TopGateways.Row(rank, gateway, BigInteger.valueOf(total), tx, rx, 60);
  }

  /** The days printed by this call. */
  private List<String> printed() {
    return news.get()
        .lines()
        .filter(line -> line.contains(" on "))
        .map(line -> line.replaceAll(".* on ", ""))
        .toList();
  }

  @Test
  void printsTheDaysThatHaveChanged() {
    days.put(DAY, 1L);
    days.put(DAY.plusDays(1), 1L);
    assertThat(printed()).containsExactly("2026-03-02"); // initial state
    assertThat(printed()).isEmpty();
    days.put(DAY, 9L);
    days.put(DAY.minusDays(1), 1L);
    assertThat(printed()).containsExactly("2026-02-28", "2026-03-01");
    days.put(DAY, 10L);
    assertThat(printed()).isEmpty(); // the day's total changed, but not its top ten
  }

  @Test
  void printsATableOfTheGreatest() {
    TopGateways.Top top =
        new TopGateways.Top(
            Optional.of(LocalDate.of(2026, 3, 1)),
            1_200,
            List.of(row(1, "gw-1", 10_500, 500, 10_000), row(2, "gw-2", 7, 3, 4)));

    assertThat(GatewayNews.text(top, LocalTime.of(14, 3, 7)))
        .isEqualToIgnoringNewLines(
            """
            14:03:07  top 2 of 1,200 gateways on 2026-03-01
                  gateway                              bytes              sent          received
               1  gw-1                                10,500               500            10,000
               2  gw-2                                     7                 3                 4
            """);
  }
}
