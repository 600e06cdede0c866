package io.millrace.server.search;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowSchema;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.SqlLiteral;
import io.millrace.store.Store;
import io.millrace.store.TopResult;
import io.millrace.wire.block.JoinedColumn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Searches stored names: those of devices, their interfaces and applications, and names of data
 * sets in the traffic of the last day. If cancelled, it returns the names found so far.
 * Thread-safe.
 *
 * @param schema current schema of the table of flows
 */
record StoredNames(Store store, Supplier<FlowSchema> schema) {
  private static final int MAX_NAMES = 40;

  private static final Pattern AS = Pattern.compile("^AS(\\d+)\\b.*");
  private static final Duration LAST = Duration.ofDays(1);

  private static final String DEVICES =
      """
      SELECT kind, exporter::VARCHAR, number, coalesce(name, ''), coalesce(description, '')
      FROM device_names
      WHERE kind IN ('exporter', 'interface', 'application')
        AND (contains(lower(name), %1$s) OR contains(lower(description), %1$s)
          OR exporter::VARCHAR = %1$s)
      ORDER BY starts_with(lower(name), %1$s) DESC, kind = 'exporter' DESC, name, exporter, number
      LIMIT %2$d\
      """;

  private static final String NAMES =
      """
      SELECT name FROM names WHERE contains(lower(name), %1$s)
      ORDER BY starts_with(lower(name), %1$s) DESC, length(name), name LIMIT %2$d\
      """;

  boolean find(String lower, int n, List<Suggestion> found, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    Cancellation cancellation = new Cancellation();
    CompletableFuture<Void> timer =
        CompletableFuture.runAsync(
            cancellation::cancel,
            CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS));
    try {
      devices(lower, n, found, cancellation, limit);
      List<String> names = names(lower, cancellation, limit);
      return names.isEmpty() || traffic(names, n, found, cancellation, deadline);
    } catch (QueryException e) {
      if (e.reason() == QueryException.Reason.CANCELLED
          || e.reason() == QueryException.Reason.TIMEOUT) {
        return false;
      }
      throw e;
    } finally {
      timer.cancel(false);
    }
  }

  private void devices(
      String lower, int n, List<Suggestion> found, Cancellation cancellation, Duration limit) {
    String sql = DEVICES.formatted(SqlLiteral.of(lower), n);
    try (QueryResult rows =
        store.query(new QueryRequest(sql, limit, Long.MAX_VALUE), cancellation)) {
      while (rows.next()) {
        String exporter = rows.value(1).toString();
        if (exporter.equals(lower)) { // the text is the address of the device
          found.add(
              new Suggestion("exporter", exporter, "", Suggestion.page("exporter", exporter)));
        }
        found.add(
            device(
                rows.value(0).toString(),
                exporter,
                rows.value(2).toString(),
                rows.value(3).toString(),
                rows.value(4).toString()));
      }
    }
  }

  private static Suggestion device(
      String kind, String exporter, String number, String name, String description) {
    String text = name.isEmpty() ? description : name;
    String more = name.isEmpty() || description.isEmpty() ? "" : description + ", ";
    return switch (kind) {
      case "exporter" ->
          new Suggestion(kind, text, more + exporter, Suggestion.page("exporter", exporter));
      case "interface" ->
          new Suggestion(
              kind,
              text,
              more + number + " of " + exporter,
              Suggestion.page("interface", exporter, number));
      default ->
          new Suggestion(
              kind,
              text,
              description.equals(text) ? "" : description,
              Suggestion.explore("src_addr", "app_name = " + Suggestion.literal(text)));
    };
  }

  private List<String> names(String lower, Cancellation cancellation, Duration limit) {
    List<String> names = new ArrayList<>();
    String sql = NAMES.formatted(SqlLiteral.of(lower), MAX_NAMES);
    try (QueryResult rows =
        store.query(new QueryRequest(sql, limit, Long.MAX_VALUE), cancellation)) {
      while (rows.next()) {
        names.add(rows.value(0).toString());
      }
    }
    return names;
  }

  private boolean traffic(
      List<String> names, int n, List<Suggestion> found, Cancellation cancellation, long deadline) {
    List<String> columns =
        schema.get().joined().stream()
            .filter(column -> column.kind() == JoinedColumn.Kind.TEXT)
            .map(FlowSchema.AddedColumn::name)
            .toList();
    Map<String, List<String>> families = new LinkedHashMap<>();
    for (String column : columns) {
      families
          .computeIfAbsent(column.replaceFirst("^(src|dst)_", ""), none -> new ArrayList<>())
          .add(column);
    }
    for (Map.Entry<String, List<String>> family : families.entrySet()) {
      Set<Suggestion> its = new LinkedHashSet<>();
      for (String column : family.getValue()) {
        if (System.nanoTime() > deadline) {
          found.addAll(its);
          return false;
        }
        its.addAll(ofColumn(family.getKey(), family.getValue(), column, names, n, cancellation));
      }
      its.stream().limit(n).forEach(found::add);
    }
    return true;
  }

  private List<Suggestion> ofColumn(
      String family,
      List<String> columns,
      String column,
      List<String> names,
      int n,
      Cancellation cancellation) {
    String side = column.startsWith("src_") ? "src_" : column.startsWith("dst_") ? "dst_" : "";
    String beside =
        side.isEmpty()
            ? null
            : family.equals("as_name") ? side + "as" : family.equals("dns") ? side + "addr" : null;
    FlowQuery request =
        FlowQuery.top(
                beside == null ? List.of(column) : List.of(column, beside),
                FlowQuery.Measure.BITS,
                Optional.empty(),
                Optional.empty(),
                Optional.of(LAST),
                n,
                Store.FLOWS)
            .withFilter(
                column
                    + names.stream()
                        .map(Suggestion::literal)
                        .collect(Collectors.joining(", ", " IN (", ")")));
    TopResult result = store.top(request, cancellation);
    return result.rows().stream()
        .filter(row -> row.values().stream().allMatch(value -> value != null))
        .map(
            row ->
                suggestion(family, columns, row.values().stream().map(Object::toString).toList()))
        .toList();
  }

  private static Suggestion suggestion(String family, List<String> columns, List<String> values) {
    String name = values.get(0);
    return switch (family) {
      case "domain", "member" -> new Suggestion(family, name, "", Suggestion.page(family, name));
      case "as_name" -> {
        String number = AS.matcher(values.get(1)).replaceFirst("$1"); // top adds the name
        yield new Suggestion("as", name, "AS" + number, Suggestion.page("as", number));
      }
      case "dns" ->
          new Suggestion("host", name, values.get(1), Suggestion.page("address", values.get(1)));
      default ->
          new Suggestion(
              family,
              name,
              "",
              Suggestion.explore(
                  columns.get(0),
                  columns.stream()
                      .map(column -> column + " = " + Suggestion.literal(name))
                      .collect(Collectors.joining(" OR "))));
    };
  }
}
