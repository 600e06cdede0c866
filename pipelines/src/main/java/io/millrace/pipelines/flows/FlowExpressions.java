package io.millrace.pipelines.flows;

import io.millrace.analytics.hitters.ColumnTexts;
import io.millrace.analytics.hitters.HitterKind;
import io.millrace.analytics.hitters.KeyExpressions;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.datasets.DatasetTexts;
import io.millrace.store.FlowSchema;
import io.millrace.store.QueryException;
import io.millrace.store.filter.FilterColumn;
import io.millrace.store.filter.FilterParser;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Expressions of the filter language as parts of keys: conditions in parentheses and computed
 * columns ({@link FilterColumn#COMPUTED}).
 */
public final class FlowExpressions implements KeyExpressions {
  private final FlowSchema schema;
  private final ColumnTexts texts;
  private final Map<String, Optional<Expression>> known = new HashMap<>();

  private FlowExpressions(FlowSchema schema, ColumnTexts texts) {
    this.schema = schema;
    this.texts = texts;
  }

  /**
   * Expressions of keys, compiled in the process that evaluates them.
   *
   * @param datasets whose columns may be used
   */
  public static KeyExpressions ofKeys(
      List<HitterKind> kinds, Map<String, DatasetDeclaration> datasets) throws IOException {
    return kinds.stream().allMatch(kind -> kind.computed().isEmpty())
        ? NONE
        : new FlowExpressions(FlowsPipeline.schema(datasets), DatasetTexts.of(datasets));
  }

  /**
   * Checks that all columns of keys exist, given the data sets.
   *
   * @param setting name of the setting with the keys
   * @throws IllegalArgumentException if a column does not exist; with the position in a condition
   */
  public static void check(
      String setting, List<HitterKind> kinds, Map<String, DatasetDeclaration> datasets) {
    if (kinds.stream().allMatch(kind -> kind.computed().isEmpty())) {
      return;
    }
    FlowSchema schema = FlowsPipeline.schema(datasets);
    FlowExpressions expressions = new FlowExpressions(schema, ColumnTexts.NONE);
    List<String> joined = schema.joined().stream().map(FlowSchema.AddedColumn::name).toList();
    for (HitterKind kind : kinds) {
      for (String part : kind.computed()) {
        if (expressions.checked(setting + ", " + kind.name(), part) == null
            && !joined.contains(part)) {
          throw new IllegalArgumentException(
              "%s: unknown column '%s', expected a column of flows or of a declared data set: %s"
                  .formatted(setting, part, joined));
        }
      }
    }
  }

  private Expression checked(String where, String text) {
    try {
      return of(text);
    } catch (QueryException | IllegalArgumentException e) {
      throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
    }
  }

  @Override
  public Expression of(String text) {
    return known.computeIfAbsent(text, this::read).orElse(null);
  }

  private Optional<Expression> read(String text) {
    if (text.startsWith("(")) {
      return Optional.of(FlowCondition.of(FilterParser.parse(text, schema), texts)::of);
    }
    boolean isColumn = schema.joined().stream().anyMatch(column -> column.name().equals(text));
    return !isColumn && FilterColumn.COMPUTED.contains(text)
        ? Optional.of(FlowNumbers.computed(text)::of)
        : Optional.empty();
  }

  @Override
  public void close() {
    texts.close();
  }
}
