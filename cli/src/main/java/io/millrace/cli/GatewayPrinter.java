package io.millrace.cli;

import io.millrace.pipelines.gateways.TopGateways;
import io.millrace.store.QueryException;
import io.millrace.store.StoreException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Prints the ten greatest gateways of each day in which they have changed, every interval; of what
 * was there before, the newest day.
 */
final class GatewayPrinter implements AutoCloseable {
  private static final int COUNT = 10;

  private final Supplier<SortedMap<LocalDate, String>> marks;
  private final Function<LocalDate, TopGateways.Top> tops;
  private final Duration interval;
  private final PrintWriter out;
  private final Thread thread;
  private final Map<LocalDate, TopGateways.Top> printed = new HashMap<>();
  private SortedMap<LocalDate, String> seen; // null before the first look

  GatewayPrinter(TopGateways gateways, Duration interval, PrintWriter out) {
    this(gateways::marks, day -> gateways.of(Optional.of(day), COUNT), interval, out);
  }

  /** Of days with such marks and such tops. */
  GatewayPrinter(
      Supplier<SortedMap<LocalDate, String>> marks,
      Function<LocalDate, TopGateways.Top> tops,
      Duration interval,
      PrintWriter out) {
    this.marks = marks;
    this.tops = tops;
    this.interval = interval;
    this.out = out;
    thread = new Thread(this::run, "millrace-gateways");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(interval.toMillis());
        print();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** Prints what has changed since the last call. */
  void print() {
    try {
      SortedMap<LocalDate, String> now = marks.get();
      for (Map.Entry<LocalDate, String> mark : now.entrySet()) {
        LocalDate day = mark.getKey();
        boolean isNews =
            seen == null ? day.equals(now.lastKey()) : !mark.getValue().equals(seen.get(day));
        if (isNews) {
          print(day);
        }
      }
      seen = now;
    } catch (QueryException | StoreException e) {
      out.println("! the top ten of the gateways: " + e.getMessage());
    }
  }

  private void print(LocalDate day) {
    TopGateways.Top top = tops.apply(day);
    if (!top.rows().isEmpty() && !top.equals(printed.put(day, top))) {
      out.print(text(top, LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS)));
      out.flush();
    }
  }

  /** As it is printed. */
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

  @Override
  public void close() {
    thread.interrupt();
  }
}
