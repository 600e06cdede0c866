package io.millrace.pipelines.gateways;

import io.millrace.store.QueryException;
import io.millrace.store.StoreException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The top ten gateways of each day that changed since the last call; at the first call, of the
 * newest day. Not thread-safe.
 */
final class GatewayNews implements Supplier<String> {
  private static final int COUNT = 10;

  private final Supplier<SortedMap<LocalDate, String>> marks;
  private final Function<LocalDate, TopGateways.Top> tops;
  private final Map<LocalDate, TopGateways.Top> printed = new HashMap<>();
  private SortedMap<LocalDate, String> seen; // null before the first call

  GatewayNews(TopGateways gateways) {
    this(gateways::marks, day -> gateways.of(Optional.of(day), COUNT));
  }

  GatewayNews(
      Supplier<SortedMap<LocalDate, String>> marks, Function<LocalDate, TopGateways.Top> tops) {
    this.marks = marks;
    this.tops = tops;
  }

  @Override
  public String get() {
    try {
      StringBuilder news = new StringBuilder();
      SortedMap<LocalDate, String> now = marks.get();
      for (Map.Entry<LocalDate, String> mark : now.entrySet()) {
        LocalDate day = mark.getKey();
        boolean isNews =
            seen == null ? day.equals(now.lastKey()) : !mark.getValue().equals(seen.get(day));
        if (isNews) {
          news.append(ofDay(day));
        }
      }
      seen = now;
      return news.toString();
    } catch (QueryException | StoreException e) {
      return String.format("! cannot read the top ten gateways: %s%n", e.getMessage());
    }
  }

  private String ofDay(LocalDate day) {
    TopGateways.Top top = tops.apply(day);
    return top.rows().isEmpty() || top.equals(printed.put(day, top))
        ? ""
        : text(top, LocalTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MILLIS));
  }

  static String text(TopGateways.Top top, LocalTime now) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s  top %d of %,d gateways on %s%n",
            now,
            top.rows().size(),
            top.gateways(),
            top.day().orElseThrow()));
    text.append(
        String.format(
            Locale.ROOT,
            "%4s  %-24s %17s %17s %17s%n",
            "",
            "gateway",
            "bytes",
            "sent",
            "received"));
    for (TopGateways.Row row : top.rows()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%4d  %-24s %,17d %,17d %,17d%n",
              row.rank(),
              row.gateway(),
              row.total(),
              row.tx(),
              row.rx()));
    }
    return text.toString();
  }
}
