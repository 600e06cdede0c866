package io.millrace.store.trino;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryResult;
import io.millrace.wire.block.Addresses;
import io.trino.client.QueryError;
import io.trino.client.StatementClient;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** Rows of a query on Trino, as they arrive. */
public final class TrinoRows implements QueryResult {
  private final StatementClient client;
  private final TrinoClient owner;
  private final long rowLimit;
  private final Duration limit;
  private final Cancellation cancellation;
  private final List<Column> columns;
  private Iterator<List<Object>> page = Collections.emptyIterator();
  private List<Object> row;
  private long given;
  private boolean truncated;
  private Optional<Instant> freshTo = Optional.empty();

  TrinoRows(
      StatementClient client,
      TrinoClient owner,
      long rowLimit,
      Duration limit,
      Cancellation cancellation) {
    this.client = client;
    this.owner = owner;
    this.rowLimit = rowLimit;
    this.limit = limit;
    this.cancellation = cancellation;
    cancellation.onCancel(client::close);
    try {
      columns = start();
    } catch (QueryException e) {
      close();
      throw e;
    } catch (RuntimeException e) {
      close();
      throw lost(e);
    }
  }

  private List<Column> start() {
    while (client.isRunning() && client.currentStatusInfo().getColumns() == null) {
      if (!client.advance()) {
        break;
      }
    }
    readPage();
    List<io.trino.client.Column> known =
        client.isRunning()
            ? client.currentStatusInfo().getColumns()
            : client.isFinished() && client.finalStatusInfo().getColumns() != null
                ? client.finalStatusInfo().getColumns()
                : List.of();
    return known.stream().map(TrinoRows::column).toList();
  }

  private static Column column(io.trino.client.Column column) {
    return column(column.getName(), column.getType());
  }

  private static Column column(String name, String type) {
    return new Column(name, sqlType(type), kind(type));
  }

  /** DuckDB's name of the type, which other listeners expect. */
  private static String sqlType(String type) {
    if (type.startsWith("timestamp")) {
      return type.endsWith("with time zone") ? "TIMESTAMP WITH TIME ZONE" : "TIMESTAMP";
    }
    return type.equals("real") ? "FLOAT" : type.toUpperCase(Locale.ROOT);
  }

  /** Sets the freshness of the snapshot that it reads. */
  TrinoRows to(Optional<Instant> newest) {
    freshTo = newest;
    return this;
  }

  @Override
  public Optional<Instant> freshTo() {
    return freshTo;
  }

  /** Columns described by the rows of {@code DESCRIBE OUTPUT}. */
  List<Column> described() {
    List<Column> described = new ArrayList<>();
    while (next()) {
      described.add(column((String) value(0), (String) value(4)));
    }
    return described;
  }

  private static Kind kind(String type) {
    String bare = type.replaceFirst("\\(.*", "");
    return switch (bare.toLowerCase(Locale.ROOT)) {
      case "boolean" -> Kind.BOOLEAN;
      case "tinyint", "smallint", "integer", "bigint" -> Kind.INTEGER;
      case "real", "double" -> Kind.REAL;
      case "decimal" -> Kind.DECIMAL;
      default -> Kind.TEXT;
    };
  }

  @Override
  public List<Column> columns() {
    return columns;
  }

  private void readPage() {
    requireNoFailure();
    if (client.isRunning()) {
      page = client.currentRows().iterator();
    }
  }

  private void requireNoFailure() {
    if (cancellation.isCancelled()) {
      throw cancelled();
    }
    if (client.isClientError() || client.isClientAborted()) {
      throw owner.unreachable(new IllegalStateException("the connection was lost"));
    }
    if (client.isFinished() && client.finalStatusInfo().getError() != null) {
      throw failure(client.finalStatusInfo().getError(), client.getQuery());
    }
  }

  private QueryException lost(RuntimeException e) {
    return cancellation.isCancelled() ? cancelled() : owner.unreachable(e);
  }

  private static QueryException cancelled() {
    return new QueryException(
        Reason.CANCELLED, "the query was cancelled", QueryException.NO_POSITION);
  }

  private QueryException failure(QueryError error, String sql) {
    if (error.getErrorName().startsWith("EXCEEDED_TIME_LIMIT")) {
      return new QueryException(
          Reason.TIMEOUT,
          "the query exceeded its time limit of " + limit.toSeconds() + " s",
          QueryException.NO_POSITION);
    }
    Reason reason =
        switch (error.getErrorType()) {
          case "USER_ERROR" ->
              error.getErrorName().equals("PERMISSION_DENIED") ? Reason.NOT_ALLOWED : Reason.WRONG;
          default -> Reason.BUSY;
        };
    int position = QueryException.NO_POSITION;
    if (error.getErrorLocation() != null) {
      position =
          position(
              sql,
              error.getErrorLocation().getLineNumber(),
              error.getErrorLocation().getColumnNumber());
    }
    return new QueryException(reason, "Trino: " + error.getMessage(), position);
  }

  /** Index of the character at a line and a column, both counted from 1. */
  static int position(String sql, int line, int column) {
    int start = 0;
    for (int i = 1; i < line; i++) {
      int end = sql.indexOf('\n', start);
      if (end < 0) {
        break;
      }
      start = end + 1;
    }
    return Math.min(sql.length(), start + column - 1);
  }

  @Override
  public boolean next() {
    while (!page.hasNext()) {
      if (!client.isRunning()) {
        requireNoFailure();
        return false;
      }
      try {
        if (!client.advance()) {
          requireNoFailure();
          return false;
        }
      } catch (QueryException e) {
        throw e;
      } catch (RuntimeException e) {
        throw lost(e);
      }
      readPage();
    }
    if (given == rowLimit) {
      truncated = true;
      return false;
    }
    row = page.next();
    given++;
    return true;
  }

  @Override
  public Object value(int column) {
    Object value = row.get(column);
    if (value == null) {
      return null;
    }
    return switch (columns.get(column).kind()) {
      case BOOLEAN -> value;
      case INTEGER -> ((Number) value).longValue();
      case REAL -> ((Number) value).doubleValue();
      case DECIMAL -> new BigDecimal(value.toString());
      case TEXT -> text(columns.get(column), value);
    };
  }

  /** Text of a value; UUIDs are addresses. */
  private static String text(Column column, Object value) {
    return column.sqlType().equals("UUID") && value instanceof String uuid
        ? address(UUID.fromString(uuid))
        : value.toString();
  }

  private static String address(UUID uuid) {
    return Addresses.toText(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
  }

  @Override
  public Object exact(int column) {
    Object value = value(column);
    if (value == null) {
      return null;
    }
    String text = value.toString();
    return switch (columns.get(column).sqlType()) {
      case "TIMESTAMP" -> LocalDateTime.parse(text.replace(' ', 'T'));
      case "TIMESTAMP WITH TIME ZONE" ->
          LocalDateTime.parse(text.replaceFirst(" \\S+$", "").replace(' ', 'T'))
              .atOffset(ZoneOffset.UTC);
      case "DATE" -> LocalDate.parse(text);
      default -> value;
    };
  }

  @Override
  public boolean truncated() {
    return truncated;
  }

  @Override
  public void close() {
    cancellation.onCancel(() -> {});
    client.close();
  }
}
