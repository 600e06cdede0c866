package io.millrace.server.flight;

import io.millrace.store.SqlLiteral;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.util.Text;

/**
 * Reads the parameters of a statement, of any Arrow type. Timestamps with a time zone are converted
 * to UTC, as in the tables.
 */
final class ParameterValues {
  private ParameterValues() {}

  static List<String> literals(VectorSchemaRoot root) {
    if (root.getRowCount() != 1) {
      throw new IllegalArgumentException(root.getRowCount() + " rows of parameters, expected one");
    }
    List<String> literals = new ArrayList<>();
    for (FieldVector vector : root.getFieldVectors()) {
      literals.add(SqlLiteral.of(vector.isNull(0) ? null : value(vector)));
    }
    return literals;
  }

  private static Object value(FieldVector vector) {
    if (vector instanceof TimeStampVector moments) {
      ArrowType.Timestamp type = (ArrowType.Timestamp) vector.getField().getType();
      return moment(moments.get(0), type);
    }
    if (vector instanceof DateDayVector days) {
      return LocalDate.ofEpochDay(days.get(0));
    }
    if (vector instanceof DateMilliVector days) {
      return LocalDate.ofEpochDay(Math.floorDiv(days.get(0), TimeUnit.DAYS.toMillis(1)));
    }
    if (vector instanceof TimeSecVector times) {
      return LocalTime.ofSecondOfDay(times.get(0));
    }
    if (vector instanceof TimeMilliVector times) {
      return LocalTime.ofNanoOfDay(TimeUnit.MILLISECONDS.toNanos(times.get(0)));
    }
    if (vector instanceof TimeMicroVector times) {
      return LocalTime.ofNanoOfDay(TimeUnit.MICROSECONDS.toNanos(times.get(0)));
    }
    if (vector instanceof TimeNanoVector times) {
      return LocalTime.ofNanoOfDay(times.get(0));
    }
    if (vector instanceof UInt8Vector integers) {
      return new BigInteger(Long.toUnsignedString(integers.get(0)));
    }
    Object value = vector.getObject(0);
    if (value instanceof Character small) {
      return (int) small; // Arrow's unsigned 16-bit integers
    }
    return value instanceof Text text ? text.toString() : value;
  }

  private static LocalDateTime moment(long count, ArrowType.Timestamp type) {
    long perSecond =
        switch (type.getUnit()) {
          case SECOND -> 1;
          case MILLISECOND -> 1_000;
          case MICROSECOND -> 1_000_000;
          case NANOSECOND -> 1_000_000_000;
        };
    long nanos = Math.floorMod(count, perSecond) * (1_000_000_000 / perSecond);
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(count, perSecond), (int) nanos, ZoneOffset.UTC);
  }
}
