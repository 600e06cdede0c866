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
 * A configured rule: a filter condition on the fields of a usage record and of a streaming event,
 * and on {@code used_percent}, which is rounded down.
 *
 * <pre>
 *   used_percent BETWEEN 50 AND 89 AND plan = 'gold' AND video LIKE 'https://live.%'
 *   └────────────── usage record ─────────────────┘     └─── streaming event ───┘
 * </pre>
 *
 * The parts of an AND are evaluated at the record that they refer to: neither plans nor video
 * addresses are sent or kept in state. So an OR or NOT may refer to one record only.
 */
final class RuleText {
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

  static final TableSchema EVENT = TableSchema.builder().text("video").build();

  private RuleText() {}

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
      boolean usesUsage = FilteredRecords.usesAny(part, USAGE);
      boolean usesEvent = FilteredRecords.usesAny(part, EVENT);
      if (usesUsage && usesEvent) {
        throw new IllegalArgumentException(
            "rules: %s: '%s' uses fields of both records in an OR or NOT: combine conditions on both records only by AND"
                .formatted(name, FilterPrinter.print(part)));
      }
      (usesEvent ? ofEvent : ofUsage).add(part);
    }
    return new QuotaRules.Further(
        name,
        condition(ofUsage, USAGE, QuotaRecords.USAGE.columnsWithPlace()),
        condition(ofEvent, EVENT, QuotaRecords.STREAMING.columnsWithPlace()));
  }

  /** Condition that is serialised as its text, which is short and unambiguous. */
  private static RecordCondition condition(
      List<Filter> parts, TableSchema known, TableSchema records) {
    if (parts.isEmpty()) {
      return RecordCondition.ANY;
    }
    Filter all = parts.size() == 1 ? parts.get(0) : new Filter.And(parts);
    return new FilteredRecords(FilterPrinter.print(all), known, records);
  }
}
