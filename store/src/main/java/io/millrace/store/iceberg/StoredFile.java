package io.millrace.store.iceberg;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.storage.TableStorage;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * A written Parquet file.
 *
 * @param path absolute
 * @param hour in which all rows arrived, since the epoch
 * @param statistics by column
 */
record StoredFile(
    @JsonProperty("path") String path,
    @JsonProperty("part") FlowPart part,
    @JsonProperty("hour") int hour,
    @JsonProperty("rows") long rows,
    @JsonProperty("bytes") long bytes,
    @JsonProperty("statistics") Map<String, Statistics> statistics) {
  /** DuckDB's text format of times, UTC. */
  private static final DateTimeFormatter SQL_TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("yyyy-MM-dd HH:mm:ss")
          .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
          .toFormatter(Locale.ROOT);

  /** Value of the partition by hour of arrival: hours since the epoch. */
  private record HourPartition(int hour) implements StructLike {
    @Override
    public int size() {
      return 1;
    }

    @Override
    public <T> T get(int position, Class<T> type) {
      return type.cast(hour);
    }

    @Override
    public <T> void set(int position, T value) {
      throw new UnsupportedOperationException("immutable");
    }
  }

  /**
   * Statistics of a column.
   *
   * @param least as text; null if there are only NULLs
   * @param greatest as text; null if there are only NULLs
   */
  record Statistics(
      @JsonProperty("bytes") long bytes,
      @JsonProperty("nulls") long nulls,
      @JsonProperty("least") String least,
      @JsonProperty("greatest") String greatest) {}

  /** The same file at another path. */
  StoredFile at(Path moved) {
    return new StoredFile(moved.toString(), part, hour, rows, bytes, statistics);
  }

  /** Bounds of the rows. */
  RowExtent extent() {
    Statistics time = statistics.get(FlowColumns.TIME);
    Statistics partition = statistics.get(FlowColumns.LOG_PARTITION);
    Statistics offset = statistics.get(FlowColumns.LOG_OFFSET);
    return new RowExtent(
        rows,
        micros(time.least),
        micros(time.greatest),
        Integer.parseInt(partition.least),
        Integer.parseInt(partition.greatest),
        Long.parseLong(offset.least),
        Long.parseLong(offset.greatest));
  }

  /** The file as a snapshot lists it. */
  DataFile dataFile(Schema schema, PartitionSpec spec, TableStorage storage) {
    Map<Integer, Long> sizes = new HashMap<>();
    Map<Integer, Long> values = new HashMap<>();
    Map<Integer, Long> nulls = new HashMap<>();
    Map<Integer, java.nio.ByteBuffer> least = new HashMap<>();
    Map<Integer, java.nio.ByteBuffer> greatest = new HashMap<>();
    statistics.forEach(
        (name, column) -> {
          Types.NestedField field = schema.findField(name);
          sizes.put(field.fieldId(), column.bytes);
          values.put(field.fieldId(), rows);
          nulls.put(field.fieldId(), column.nulls);
          if (column.least != null) {
            least.put(field.fieldId(), bound(field.type(), column.least));
            greatest.put(field.fieldId(), bound(field.type(), column.greatest));
          }
        });
    return DataFiles.builder(spec)
        .withPath(storage.location(Path.of(path)))
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(bytes)
        .withPartition(new HourPartition(hour))
        .withMetrics(new Metrics(rows, sizes, values, nulls, Map.of(), least, greatest))
        .build();
  }

  private static java.nio.ByteBuffer bound(Type type, String text) {
    Object value =
        switch (type.typeId()) {
          case INTEGER -> Integer.valueOf(text);
          case LONG -> Long.valueOf(text);
          case UUID -> java.util.UUID.fromString(text);
          case TIMESTAMP -> micros(text);
          default -> throw new IllegalArgumentException("no statistics of " + type);
        };
    return Conversions.toByteBuffer(type, value);
  }

  private static long micros(String text) {
    return ChronoUnit.MICROS.between(
        LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC), LocalDateTime.parse(text, SQL_TIME));
  }
}
