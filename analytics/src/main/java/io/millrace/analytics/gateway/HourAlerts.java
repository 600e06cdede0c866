package io.millrace.analytics.gateway;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;

/** Compares completed hours of a series with its usual range. */
final class HourAlerts {
  static final int HOURS = 24;
  private static final long HOUR_MICROS = 3_600_000_000L;

  private final double above;

  private final UsualHours usual;
  private final LongIds ids;
  private final AnalyzerContext.Counter alerts;

  HourAlerts(double above, UsualHours usual, LongIds ids, AnalyzerContext.Counter alerts) {
    this.above = above;
    this.usual = usual;
    this.ids = ids;
    this.alerts = alerts;
  }

  void close(Series series, int entry, Emitter<TableBlock> out) {
    if (above <= 0) {
      return;
    }
    int hash = series.table().hash(entry);
    long first = series.table().key(entry, 0);
    long second = series.table().key(entry, 1);
    long hour = series.hour[entry];
    long bytes = series.hourBytes[entry];
    double z = usual.take(hash, first, second, hour / HOURS, Math.floorMod(hour, HOURS), bytes);
    if (Math.abs(z) > above) {
      TableBlock block = new TableBlock(GatewayDays.ALERTS, 1);
      block.longs(0)[0] = hour * HOUR_MICROS;
      ids.addTo(block.texts(1), hash, first, GatewayKey.gateway(second));
      block.texts(2).add(GatewayForm.of(GatewayKey.form(second)).label());
      block.longs(3)[0] = bytes;
      block.longs(4)[0] = usual.usual();
      block.doubles(5)[0] = z;
      block.rows(1);
      alerts.add(1);
      out.emit(GatewayDays.ALERT_ROWS, block);
    }
  }
}
