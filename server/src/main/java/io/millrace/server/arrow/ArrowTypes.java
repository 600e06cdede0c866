package io.millrace.server.arrow;

import io.millrace.store.QueryResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Maps the store's types to Arrow's.
 *
 * <p>Integers and their sums become {@code int64} or {@code uint64}, reals {@code float64};
 * timestamps count microseconds ({@code TIMESTAMP_NS} nanoseconds), without a time zone unless the
 * type has one; decimals, dates, times of day, binaries and lists of these keep their kind. Types
 * without an equivalent in Arrow or its readers (structs, maps, UUIDs, intervals, nested lists)
 * become text.
 */
public final class ArrowTypes {
  private static final Pattern DECIMAL = Pattern.compile("DECIMAL\\((\\d+),\\s*(\\d+)\\)");
  private static final Pattern LIST =
      Pattern.compile("((?!STRUCT|MAP|UNION|TUPLE)[^\\[\\]]+)\\[\\d*]");

  private ArrowTypes() {}

  /** Schema of a query's columns. All are nullable. */
  public static Schema schema(List<QueryResult.Column> columns) {
    List<Field> fields = new ArrayList<>();
    for (QueryResult.Column column : columns) {
      fields.add(field(column.name(), column.sqlType(), Map.of()));
    }
    return new Schema(fields);
  }

  /**
   * Schema of a query's parameters. Clients may send other types, but Arrow's JDBC driver sends
   * only these. It writes milliseconds into timestamps of any unit, and integers only into integer
   * types.
   */
  public static Schema parameters(List<QueryResult.Column> parameters) {
    List<Field> fields = new ArrayList<>();
    for (QueryResult.Column parameter : parameters) {
      ArrowType type =
          switch (parameter.sqlType()) {
            case "UBIGINT", "HUGEINT", "UHUGEINT" -> new ArrowType.Int(64, true);
            default -> scalar(parameter.sqlType());
          };
      if (type instanceof ArrowType.Timestamp) {
        type = new ArrowType.Timestamp(TimeUnit.MILLISECOND, null);
      }
      fields.add(new Field(parameter.name(), FieldType.nullable(type), null));
    }
    return new Schema(fields);
  }

  /** A column with custom metadata. */
  public static Field field(String name, String sqlType, Map<String, String> metadata) {
    Matcher list = LIST.matcher(sqlType);
    if (!list.matches()) {
      return new Field(name, new FieldType(true, scalar(sqlType), null, metadata), null);
    }
    Field element = new Field("item", FieldType.nullable(scalar(list.group(1))), null);
    FieldType type = new FieldType(true, ArrowType.List.INSTANCE, null, metadata);
    return new Field(name, type, List.of(element));
  }

  private static ArrowType scalar(String sqlType) {
    return switch (sqlType) {
      case "BOOLEAN" -> ArrowType.Bool.INSTANCE;
      case "TINYINT",
          "SMALLINT",
          "INTEGER",
          "BIGINT",
          "UTINYINT",
          "USMALLINT",
          "UINTEGER",
          // int64, because readers such as pandas and R do not treat a 128-bit decimal as an
          // integer
          "HUGEINT" ->
          new ArrowType.Int(64, true);
      case "UBIGINT" -> new ArrowType.Int(64, false);
      case "FLOAT", "DOUBLE" -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS" ->
          new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);
      case "TIMESTAMP_NS" -> new ArrowType.Timestamp(TimeUnit.NANOSECOND, null);
      case "TIMESTAMP WITH TIME ZONE" -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC");
      case "DATE" -> new ArrowType.Date(DateUnit.DAY);
      case "TIME" -> new ArrowType.Time(TimeUnit.MICROSECOND, 64);
      case "BLOB" -> ArrowType.Binary.INSTANCE;
      default -> decimalOrText(sqlType);
    };
  }

  private static ArrowType decimalOrText(String sqlType) {
    Matcher decimal = DECIMAL.matcher(sqlType);
    return decimal.matches()
        ? new ArrowType.Decimal(
            Integer.parseInt(decimal.group(1)), Integer.parseInt(decimal.group(2)), 128)
        : ArrowType.Utf8.INSTANCE;
  }
}
