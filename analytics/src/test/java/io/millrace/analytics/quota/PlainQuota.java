package io.millrace.analytics.quota;

import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Straightforward implementation of the rules: sorts all records in one list, and examines all
 * earlier records for each event.
 */
final class PlainQuota {
  /** A usage record that matches a rule, or a streaming event (rule −1). */
  record Row(
      long time,
      long msisdn,
      int partition,
      long offset,
      int index,
      long limit,
      long used,
      int rule) {
    boolean isEvent() {
      return rule == QuotaRules.NONE;
    }
  }

  private static final Comparator<Row> ORDER =
      Comparator.comparingLong(Row::time)
          .thenComparing(Row::isEvent)
          .thenComparingInt(Row::partition)
          .thenComparingLong(Row::offset)
          .thenComparingInt(Row::index);

  private record Signal(long time, long msisdn, int rule) {}

  private PlainQuota() {}

  /** The signals, as testers print rows. */
  static String[] signals(List<Row> rows, QuotaRules rules) {
    List<Row> sorted = rows.stream().sorted(ORDER).toList();
    List<Signal> given = new ArrayList<>();
    List<String> printed = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      Row event = sorted.get(i);
      long begin = event.time - rules.windowMicros(); // exclusive
      sorted.subList(0, i).stream()
          .filter(each -> event.isEvent() && !each.isEvent() && each.msisdn == event.msisdn)
          .filter(each -> each.time > begin)
          .reduce((earlier, later) -> later)
          .filter(
              usage ->
                  given.stream()
                      .noneMatch(
                          each ->
                              each.msisdn == event.msisdn
                                  && each.rule == usage.rule
                                  && each.time > begin))
          .ifPresent(
              usage -> {
                given.add(new Signal(event.time, event.msisdn, usage.rule));
                printed.add(
                    "%d %d %s %d %d %d"
                        .formatted(
                            event.time,
                            event.msisdn,
                            rules.names().get(usage.rule),
                            usage.limit,
                            usage.used,
                            usage.time));
              });
    }
    return printed.toArray(String[]::new);
  }

  static TableBlock block(List<Row> rows) {
    boolean events = rows.get(0).isEvent();
    TableBlock block =
        new TableBlock(events ? QuotaRecords.EVENTS : QuotaRecords.JUDGED, rows.size());
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      block.longs(QuotaRecords.TIME)[i] = row.time;
      block.longs(QuotaRecords.MSISDN)[i] = row.msisdn;
      block.longs(QuotaRecords.PARTITION)[i] = row.partition;
      block.longs(QuotaRecords.OFFSET)[i] = row.offset;
      block.longs(QuotaRecords.INDEX)[i] = row.index;
      if (!events) {
        block.longs(QuotaRecords.LIMIT)[i] = row.limit;
        block.longs(QuotaRecords.USED)[i] = row.used;
        block.longs(QuotaRecords.RULE)[i] = row.rule;
      }
    }
    block.rows(rows.size());
    return block;
  }
}
