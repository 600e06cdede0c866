package io.millrace.pipelines.quota;

import io.millrace.analytics.quota.QuotaRecords;
import io.millrace.analytics.quota.QuotaRules;
import io.millrace.analytics.quota.RecordCondition;
import io.millrace.store.filter.Filter;
import io.millrace.store.filter.FilterException;
import io.millrace.store.filter.FilterParser;
import io.millrace.store.filter.FilterPrinter;
import io.millrace.wire.block.TableSchema;
import java.util.ArrayList;
import java.util.List;

/**
 * A rule as it is configured: a condition in the language of filters on the fields of a usage
 * record and of a streaming event, with {@code used_percent} besides, which is rounded down.
 *
 * <pre>
 *   used_percent BETWEEN 50 AND 89 AND plan = 'gold' AND video LIKE 'https://live.%'
 *   └────────────── usage record ─────────────────┘     └─── streaming event ───┘
 * </pre>
 *
 * What is joined by AND is sorted by the record that it asks, and is found out where that record
 * is: neither plans nor addresses of videos travel or wait. So an OR or NOT may ask one of them.
 */
final class RuleText {
  /** What of a usage record may be asked; the last is computed. */
  static final TableSchema USAGE =
      TableSchema.builder()
          .number("msisdn")
          .text("plan")
          .number("quota_limit")
          .number("quota_used")
          .number("complimentary_granted")
          .number("complimentary_used")
          .number(FilteredRecords.USED_PERCENT)
          .build();

  /** What of a streaming event may be asked. */
  static final TableSchema EVENT = TableSchema.builder().text("video").build();

  private RuleText() {}

  /**
   * The rule that a text means.
   *
   * @throws IllegalArgumentException if it cannot be read; points at the place
   */
  static QuotaRules.Further parse(String name, String text) {
    List<TableSchema.Column> joined = new ArrayList<>(USAGE.columns());
    joined.addAll(EVENT.columns());
    Filter condition;
    try {
      condition = FilterParser.parse(text, new TableSchema(joined));
    } catch (FilterException e) {
      throw new IllegalArgumentException("rules: " + name + ": " + e.getMessage(), e);
    }
    List<Filter> ofUsage = new ArrayList<>();
    List<Filter> ofEvent = new ArrayList<>();
    for (Filter part : condition instanceof Filter.And and ? and.parts() : List.of(condition)) {
      boolean asksUsage = FilteredRecords.asks(part, USAGE);
      boolean asksEvent = FilteredRecords.asks(part, EVENT);
      if (asksUsage && asksEvent) {
        throw new IllegalArgumentException(
            "rules: %s: '%s' asks both records under an OR or NOT: join conditions on both by AND"
                .formatted(name, FilterPrinter.print(part)));
      }
      (asksEvent ? ofEvent : ofUsage).add(part);
    }
    return new QuotaRules.Further(
        name,
        condition(ofUsage, USAGE, QuotaRecords.USAGE.columnsWithPlace()),
        condition(ofEvent, EVENT, QuotaRecords.STREAMING.columnsWithPlace()));
  }

  /** Travels as text, which is short and has one meaning. */
  private static RecordCondition condition(
      List<Filter> parts, TableSchema known, TableSchema records) {
    if (parts.isEmpty()) {
      return RecordCondition.ANY;
    }
    Filter all = parts.size() == 1 ? parts.get(0) : new Filter.And(parts);
    return new FilteredRecords(FilterPrinter.print(all), known, records);
  }
}
