package io.millrace.store.duckdb.rewrite;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.duckdb.schema.AddressValues;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.wire.block.Addresses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The addresses to which the WHERE clause of a SELECT over one view restricts its columns, by
 * {@code =} or {@code IN} with texts.
 *
 * <p>DuckDB would convert the address of every row to text to compare it. With this it compares
 * addresses as they are in files or numbers, and the text of a column that is restricted to a few
 * addresses is one of theirs. The WHERE clause itself still applies, so a text that is not the
 * canonical form of an address still matches no row.
 */
final class AddressFilter {
  private static final int MAX_TEXTS = 16;

  private final Map<ViewColumn, List<long[]>> addresses = new LinkedHashMap<>();
  private final FlowView view;
  private final String called;

  private AddressFilter(FlowView view, String called) {
    this.view = view;
    this.called = called;
  }

  static AddressFilter of(JsonNode select, FlowView view) {
    JsonNode from = select.path("from_table");
    String alias = from.path("alias").asText();
    AddressFilter filter =
        new AddressFilter(view, alias.isEmpty() ? from.path("table_name").asText() : alias);
    filter.read(select.path("where_clause"));
    return filter;
  }

  private void read(JsonNode condition) {
    JsonNode children = condition.path("children");
    switch (condition.path("type").asText()) {
      case "CONJUNCTION_AND" -> children.forEach(this::read);
      case "COMPARE_IN" -> {
        List<JsonNode> texts = new ArrayList<>();
        children.forEach(texts::add);
        compare(texts.remove(0), texts);
      }
      case "COMPARE_EQUAL" -> {
        compare(condition.path("left"), List.of(condition.path("right")));
        compare(condition.path("right"), List.of(condition.path("left")));
      }
      default -> {
        // Other conditions do not restrict addresses.
      }
    }
  }

  private void compare(JsonNode reference, List<JsonNode> constants) {
    JsonNode names = reference.path("column_names");
    // A column qualified with another table may belong to an outer query.
    boolean own =
        names.size() == 1 || (names.size() == 2 && names.path(0).asText().equalsIgnoreCase(called));
    ViewColumn column = own ? view.column(reference) : null;
    if (column == null || !column.isAddress()) {
      return;
    }
    List<long[]> held = new ArrayList<>();
    for (JsonNode constant : constants) {
      JsonNode literal = constant.path("literal");
      long[] address = new long[2];
      if (!literal.path("kind").asText().equals("STRING")
          || !Addresses.parse(literal.path("text").asText(), address)) {
        return;
      }
      held.add(address);
    }
    addresses.putIfAbsent(column, held);
  }

  /**
   * Condition on the rows {@code f} of the view.
   *
   * @param other another condition, or empty
   */
  String condition(String other) {
    return condition(other, view.hasStoredAddresses());
  }

  /** Condition on sums {@code f} of the view's rows; empty if there is none. */
  String ofSums() {
    return condition("", false);
  }

  private String condition(String other, boolean isStored) {
    List<String> all = new ArrayList<>();
    if (!other.isEmpty()) {
      all.add(other);
    }
    addresses.forEach(
        (column, held) -> {
          String name = column.stored().get(0);
          all.add(
              "f.%s IN (%s)"
                  .formatted(
                      Catalog.quoted(isStored ? FlowLayout.stored(name) : name),
                      held.stream()
                          .map(address -> literal(address, isStored))
                          .collect(Collectors.joining(", "))));
        });
    return String.join(" AND ", all);
  }

  FlowView narrowed() {
    return addresses.isEmpty()
        ? view
        : view.with(view.columns().stream().map(this::narrowed).toList());
  }

  private ViewColumn narrowed(ViewColumn column) {
    List<long[]> held = addresses.getOrDefault(column, List.of());
    if (held.isEmpty() || held.size() > MAX_TEXTS) {
      return column;
    }
    StringBuilder text = new StringBuilder("CASE {0}");
    for (long[] address : held) {
      text.append(" WHEN ").append(literal(address, false));
      text.append(" THEN '").append(Addresses.toText(address[0], address[1])).append('\'');
    }
    return new ViewColumn(column.name(), column.stored(), -1, text.append(" END").toString());
  }

  private static String literal(long[] address, boolean isStored) {
    return isStored
        ? AddressValues.storedLiteral(address[0], address[1])
        : AddressValues.literal(address[0], address[1]);
  }
}
