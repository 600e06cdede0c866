package io.millrace.store.duckdb.top;

import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.SeriesResult;
import io.millrace.store.SeriesResult.Group;
import io.millrace.store.SqlLiteral;
import io.millrace.store.Store;
import io.millrace.store.duckdb.schema.Catalog;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * {@code series('as', last := '1d')} in SQL: one row per point and group, and per point for all
 * other groups together. FROM and TO are keywords of SQL, so the time range is {@code since} and
 * {@code until}. Columns: {@code time}, the dimensions, {@code label}, {@code value} and {@code
 * error}, which is 0 if nothing was estimated.
 */
public final class SeriesTable {
  /** Name of the function. */
  public static final String NAME = "series";

  private static final String BY = "";
  private static final Set<String> ARGUMENTS =
      Set.of(BY, "measure", "since", "until", "last", "step", "n", "filter", "table_name", "scan");
  private static final int MAX_ROWS = 20_000;

  private SeriesTable() {}

  /**
   * Query of a call.
   *
   * @param arguments arguments by name; the dimensions have an empty name
   */
  public static FlowQuery request(Map<String, String> arguments) {
    for (String name : arguments.keySet()) {
      if (!ARGUMENTS.contains(name)) {
        throw new IllegalArgumentException(
            "series: no argument "
                + name
                + "; there are measure, since, until, last, step, n, filter, table_name and scan");
      }
    }
    return FlowQuery.series(
            text(arguments, "measure").map(Measure::of).orElse(Measure.BITS),
            text(arguments, BY).map(by -> by.split(",")).orElse(new String[0]))
        .with(
            request ->
                request
                    .from(text(arguments, "since").map(SeriesTable::instant))
                    .to(text(arguments, "until").map(SeriesTable::instant))
                    .last(text(arguments, "last").map(last -> FlowQuery.duration("last", last)))
                    .step(text(arguments, "step").map(step -> FlowQuery.duration("step", step)))
                    .n(text(arguments, "n").map(SeriesTable::number).orElse(FlowQuery.DEFAULT_N))
                    .table(text(arguments, "table_name").orElse(Store.FLOWS))
                    .filter(text(arguments, "filter"))
                    .scan(text(arguments, "scan").map(Boolean::parseBoolean).orElse(false)));
  }

  private static Optional<String> text(Map<String, String> arguments, String name) {
    return Optional.ofNullable(arguments.get(name)).filter(text -> !text.isBlank());
  }

  /** Parses an RFC 3339 or SQL timestamp in UTC, or a date, which is its midnight. */
  private static Instant instant(String text) {
    try {
      if (text.matches("(?i).*:.*(z|[-+][0-9:]+)")) {
        return Instant.parse(text.replace(' ', 'T'));
      }
      LocalDateTime time =
          text.length() == "2026-01-31".length()
              ? LocalDate.parse(text).atStartOfDay()
              : LocalDateTime.parse(text.replace(' ', 'T'));
      return time.toInstant(ZoneOffset.UTC);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "series: invalid time " + text + ", expected '2026-01-31 12:00:00'", e);
    }
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("series: invalid n " + text + ", expected a number", e);
    }
  }

  /** The rows as a SELECT of constants. */
  public static String select(SeriesResult result) {
    SeriesResult.Period period = result.period();
    int points = period.total().rates().length;
    List<Group> lines = new ArrayList<>(period.groups());
    List<String> none = Collections.nCopies(result.columns().size(), null);
    lines.add(
        new Group(
            none,
            none,
            lines.isEmpty() && result.columns().isEmpty() ? "total" : "others",
            period.others()));
    if ((long) points * lines.size() > MAX_ROWS) {
      throw new IllegalArgumentException(
          "series: %,d points of %,d lines exceed %,d rows; use a longer step or fewer groups"
              .formatted(points, lines.size(), MAX_ROWS));
    }
    List<String> rows = new ArrayList<>();
    long start = ChronoUnit.MICROS.between(Instant.EPOCH, period.from());
    long step = result.step().toSeconds() * 1_000_000;
    for (Group line : lines) {
      StringBuilder values = new StringBuilder();
      line.key().forEach(value -> values.append(literal(value)).append(", "));
      values.append(literal(line.label()));
      for (int i = 0; i < points; i++) {
        double rate = line.line().rates()[i];
        double[] errors = line.line().errors();
        rows.add(
            "(%d, %s, %s, %s)"
                .formatted(
                    start + i * step,
                    values,
                    Double.isNaN(rate) ? "NULL" : Double.toString(rate),
                    errors.length == 0 ? "0" : Double.toString(errors[i])));
      }
    }
    StringBuilder names = new StringBuilder();
    StringBuilder columns = new StringBuilder();
    for (String column : result.columns()) {
      names.append(Catalog.quoted(column)).append(", ");
      columns.append(Catalog.quoted(column)).append("::VARCHAR AS ");
      columns.append(Catalog.quoted(column)).append(", ");
    }
    boolean isEmpty = rows.isEmpty();
    if (isEmpty) {
      rows.add("(0, " + "NULL, ".repeat(result.columns().size() + 2) + "NULL)");
    }
    return "SELECT make_timestamp(micros::BIGINT) AS time, %slabel::VARCHAR AS label, value::DOUBLE AS value, error::DOUBLE AS error FROM (VALUES %s) AS points(micros, %slabel, value, error)%s"
        .formatted(columns, String.join(", ", rows), names, isEmpty ? " WHERE false" : "");
  }

  private static String literal(String text) {
    return text == null ? "NULL" : SqlLiteral.of(text);
  }
}
