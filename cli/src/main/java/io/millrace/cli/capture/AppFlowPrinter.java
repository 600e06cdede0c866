package io.millrace.cli.capture;

import io.millrace.analytics.app.AppFlow;
import io.millrace.analytics.flowtable.Flow;
import io.millrace.cli.print.RowPrinter;
import io.millrace.wire.block.Addresses;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Prints flows with their applications, with the column names of the table. */
final class AppFlowPrinter {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final long MICROS = 1_000_000;

  private static Map.Entry<RowPrinter.Column, Function<AppFlow, String>> text(
      String name, Function<AppFlow, String> value) {
    return Map.entry(new RowPrinter.Column(name, false), value);
  }

  private static Map.Entry<RowPrinter.Column, Function<AppFlow, String>> number(
      String name, Function<AppFlow, Number> value) {
    return Map.entry(
        new RowPrinter.Column(name, true),
        flow -> {
          Number number = value.apply(flow);
          return number == null ? null : number.toString();
        });
  }

  private static final List<Map.Entry<RowPrinter.Column, Function<AppFlow, String>>> COLUMNS =
      List.of(
          text("time", flow -> time(flow.firstMicros())),
          text("last_time", flow -> time(flow.lastMicros())),
          text("src_addr", flow -> Addresses.toText(flow.clientHigh(), flow.clientLow())),
          text("dst_addr", flow -> Addresses.toText(flow.serverHigh(), flow.serverLow())),
          number("proto", Flow::protocol),
          number("src_port", Flow::clientPort),
          number("dst_port", Flow::serverPort),
          number("packets", Flow::packets),
          number("bytes", Flow::bytes),
          number("dst_packets", Flow::serverPackets),
          number("dst_bytes", Flow::serverBytes),
          text("app", AppFlow::app),
          text("app_by", flow -> flow.evidence().label()),
          text("app_protocol", AppFlow::appProtocol),
          text("name", AppFlow::name),
          number(
              "rtt",
              flow -> flow.roundTripMicros() == Flow.UNKNOWN ? null : flow.roundTripMicros()),
          number("retransmissions", Flow::retransmissions),
          text("subscriber", flow -> flow.subscriber().identity()),
          number("area", flow -> known(flow.subscriber().area())),
          number("cell", flow -> known(flow.subscriber().cell())));

  private static Long known(long number) {
    return number < 0 ? null : number;
  }

  private final RowPrinter printer;
  private final String[] cells = new String[COLUMNS.size()];
  private boolean hasBegun;

  AppFlowPrinter(RowPrinter printer) {
    this.printer = printer;
  }

  private static String time(long micros) {
    return TIME.format(
        Instant.ofEpochSecond(
            Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1_000L));
  }

  void begin() {
    if (!hasBegun) {
      hasBegun = true;
      printer.header(COLUMNS.stream().map(Map.Entry::getKey).toList());
    }
  }

  void print(AppFlow flow) {
    begin();
    for (int i = 0; i < cells.length; i++) {
      cells[i] = COLUMNS.get(i).getValue().apply(flow);
    }
    printer.row(cells);
  }

  void end() {
    if (hasBegun) {
      printer.end();
    }
  }
}
