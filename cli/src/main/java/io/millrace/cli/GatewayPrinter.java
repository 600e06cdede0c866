package io.millrace.cli;

import io.millrace.pipelines.gateways.TopGateways;
import io.millrace.store.QueryException;
import io.millrace.store.StoreException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/** Prints the ten greatest gateways of the newest day every interval, if they have changed. */
final class GatewayPrinter implements AutoCloseable {
  private static final int COUNT = 10;

  private final TopGateways gateways;
  private final Duration interval;
  private final PrintWriter out;
  private final Thread thread;
  private TopGateways.Top printed;

  GatewayPrinter(TopGateways gateways, Duration interval, PrintWriter out) {
    this.gateways = gateways;
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

  private void print() {
    try {
      TopGateways.Top top = gateways.of(Optional.empty(), COUNT);
      if (!top.rows().isEmpty() && !top.equals(printed)) {
        printed = top;
        out.print(text(top, LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS)));
        out.flush();
      }
    } catch (QueryException | StoreException e) {
      out.println("! the top ten of the gateways: " + e.getMessage());
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
