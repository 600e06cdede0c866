package io.millrace.server.arrow;

import io.millrace.store.QueryException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.TimeStampNanoVector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;

/** Writer of a column: sets values from {@link io.millrace.store.QueryResult#exact} in a vector. */
@FunctionalInterface
interface Cell {
  long WIDTH = 8;
  LocalDateTime EPOCH = LocalDateTime.of(1970, 1, 1, 0, 0);

  /**
   * Sets a row's value, null for NULL.
   *
   * @return approximate size of the value in bytes
   */
  long set(int row, Object value);

  /** Creates a writer for a vector with a type of {@link ArrowTypes}. */
  static Cell of(FieldVector vector) {
    if (vector instanceof ListVector list) {
      return list(list);
    }
    Cell present = present(vector);
    return (row, value) -> {
      if (value != null) {
        return present.set(row, value);
      }
      while (row >= vector.getValueCapacity()) {
        vector.reAlloc();
      }
      vector.setNull(row);
      return 1;
    };
  }

  private static Cell present(FieldVector vector) {
    if (vector instanceof BitVector bits) {
      return fixed((row, value) -> bits.setSafe(row, (Boolean) value ? 1 : 0));
    }
    if (vector instanceof BigIntVector integers) {
      return fixed((row, value) -> integers.setSafe(row, int64(vector.getName(), value)));
    }
    if (vector instanceof UInt8Vector integers) {
      return fixed((row, value) -> integers.setSafe(row, ((Number) value).longValue()));
    }
    if (vector instanceof Float8Vector reals) {
      return fixed((row, value) -> reals.setSafe(row, ((Number) value).doubleValue()));
    }
    if (vector instanceof TimeStampMicroVector moments) {
      return fixed((row, value) -> moments.setSafe(row, micros((LocalDateTime) value)));
    }
    if (vector instanceof TimeStampNanoVector moments) {
      return fixed((row, value) -> moments.setSafe(row, nanos((LocalDateTime) value)));
    }
    if (vector instanceof TimeStampMicroTZVector moments) {
      return fixed(
          (row, value) ->
              moments.setSafe(
                  row,
                  micros(
                      ((OffsetDateTime) value)
                          .withOffsetSameInstant(ZoneOffset.UTC)
                          .toLocalDateTime())));
    }
    if (vector instanceof DateDayVector days) {
      return fixed(
          (row, value) -> days.setSafe(row, Math.toIntExact(((LocalDate) value).toEpochDay())));
    }
    if (vector instanceof TimeMicroVector times) {
      return fixed((row, value) -> times.setSafe(row, ((LocalTime) value).toNanoOfDay() / 1_000));
    }
    if (vector instanceof DecimalVector decimals) {
      int scale = decimals.getScale();
      return fixed(
          (row, value) -> decimals.setSafe(row, new BigDecimal(value.toString()).setScale(scale)));
    }
    if (vector instanceof VarBinaryVector binaries) {
      return (row, value) -> {
        byte[] bytes = (byte[]) value;
        binaries.setSafe(row, bytes);
        return WIDTH + bytes.length;
      };
    }
    VarCharVector texts = (VarCharVector) vector;
    return (row, value) -> {
      byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
      texts.setSafe(row, bytes);
      return WIDTH + bytes.length;
    };
  }

  private static Cell list(ListVector lists) {
    Cell element = of(lists.getDataVector());
    return (row, value) -> {
      if (value == null) {
        lists.setNull(row);
        return 1;
      }
      List<?> values = (List<?>) value;
      long bytes = WIDTH;
      int start = lists.startNewValue(row);
      for (int i = 0; i < values.size(); i++) {
        bytes += element.set(start + i, values.get(i));
      }
      lists.endValue(row, values.size());
      return bytes;
    };
  }

  /** Sets a non-null value. */
  @FunctionalInterface
  interface Setter {
    void set(int row, Object value);
  }

  private static Cell fixed(Setter setter) {
    return (row, value) -> {
      setter.set(row, value);
      return WIDTH;
    };
  }

  /** Converts an integer; fails for sums that exceed 64 bits. */
  private static long int64(String column, Object value) {
    if (value instanceof BigInteger wide && wide.bitLength() >= Long.SIZE) {
      throw new QueryException(
          QueryException.Reason.WRONG,
          "column %s: value %s exceeds int64: cast it to DECIMAL(38, 0) or DOUBLE"
              .formatted(column, wide),
          QueryException.NO_POSITION);
    }
    return ((Number) value).longValue();
  }

  private static long nanos(LocalDateTime moment) {
    return ChronoUnit.NANOS.between(EPOCH, moment);
  }

  private static long micros(LocalDateTime moment) {
    return ChronoUnit.MICROS.between(EPOCH, moment);
  }
}
