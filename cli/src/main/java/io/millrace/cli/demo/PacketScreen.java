package io.millrace.cli.demo;

import io.millrace.server.runtime.Millrace;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import java.time.Duration;
import java.util.Locale;

final class PacketScreen {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_ROWS = 100;

  private final Millrace millrace;
  private final String capture;
  private final boolean hasHeavyAndRising;

  PacketScreen(Millrace millrace, String capture, boolean hasHeavyAndRising) {
    this.millrace = millrace;
    this.capture = capture;
    this.hasHeavyAndRising = hasHeavyAndRising;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append("millrace demo · ").append(capture);
    text.append(" · console and API ").append(millrace.url()).append(System.lineSeparator());
    table(
        text,
        "%14s packets %18s bytes in total%n",
        "SELECT coalesce(sum(packets), 0), coalesce(sum(bytes), 0) FROM packet_counts");
    table(
        text,
        "  protocol %-5s %14s packets %18s bytes%n",
        "SELECT coalesce(proto::VARCHAR, 'no IP'), packets, bytes FROM packets_by_protocol LIMIT"
            + " 8");
    table(
        text,
        "  %-19s %14s packets %18s bytes%n",
        "SELECT strftime(time, '%Y-%m-%d %H:%M:%S'), packets, bytes FROM packets_by_second"
            + " ORDER BY time DESC LIMIT 5");
    table(
        text,
        "  %-39s → %-39s %6s %6s → %-6s %14s packets %18s bytes%n",
        "SELECT src_addr, dst_addr, coalesce(proto::VARCHAR, ''), coalesce(src_port::VARCHAR, ''),"
            + " coalesce(dst_port::VARCHAR, ''), sum(packets), sum(bytes) FROM packet_flows"
            + " GROUP BY ALL ORDER BY 7 DESC LIMIT 10");
    table(
        text,
        "  application %-26s %14s packets %18s bytes %8s flows%n",
        "SELECT app, packets, bytes, flows FROM app_shares LIMIT 8");
    table(
        text,
        "  subscriber %-27s %14s packets %18s bytes %8s flows%n",
        "SELECT subscriber, sum(packets), sum(bytes), count(*) FROM app_flows"
            + " WHERE subscriber <> '' GROUP BY subscriber ORDER BY 3 DESC LIMIT 8");
    if (hasHeavyAndRising) {
      table(
          text,
          "  heavy   %s: %.1f%% of the bytes since %s%n",
          "SELECT key, 100 * share, strftime(epoch, '%H:%M:%S') FROM hitters"
              + " WHERE epoch = (SELECT max(epoch) FROM hitters) AND rank <= 5"
              + " ORDER BY kind, rank LIMIT 5");
      table(
          text,
          "  rising  %s: %s packets since %s where %.1f were expected%n",
          "SELECT key, count, strftime(bucket, '%H:%M:%S'), expectation FROM flow_trends"
              + " WHERE stage = 'final' ORDER BY bucket DESC, score DESC LIMIT 1");
    }
    return text.toString();
  }

  private void table(StringBuilder text, String format, String sql) {
    text.append(System.lineSeparator());
    QueryRequest request = new QueryRequest(sql, TIMEOUT, MAX_ROWS, false);
    try (QueryResult result = millrace.store().query(request)) {
      Object[] cells = new Object[result.columns().size()];
      while (result.next()) {
        for (int i = 0; i < cells.length; i++) {
          Object value = result.value(i);
          cells[i] =
              value instanceof Number number && !(value instanceof Double)
                  ? String.format(Locale.ROOT, "%,d", number.longValue())
                  : value;
        }
        text.append(String.format(Locale.ROOT, format, cells));
      }
    } catch (QueryException e) { // the machine is busy; the next screen retries
      text.append("  ").append(e.getMessage()).append(System.lineSeparator());
    }
  }
}
