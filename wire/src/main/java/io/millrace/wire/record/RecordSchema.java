package io.millrace.wire.record;

import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.avro.Schema;
import org.apache.avro.SchemaFormatter;

/**
 * What the records of a stream look like, whatever they are written in: their fields, and which of
 * them tell when a record was made and to whom it belongs. Immutable.
 *
 * <pre>
 *   new RecordSchema(
 *       "usage",
 *       List.of(
 *           Field.time("time"),
 *           Field.text("subscriber", 1, 32),
 *           Field.number("used", 0, Long.MAX_VALUE),
 *           Field.flag("granted").orElse(false)),
 *       "time",
 *       "subscriber");
 * </pre>
 *
 * A record in JSON is an object of these fields; others are stepped over, and a field that is null
 * is missing. In Avro it is a record of {@link #avro}, or of a schema that resolves to it.
 *
 * @param name of the stream: lower-case letters, digits and underscores, a letter first, at most 40
 * @param fields 1 to 64, no name twice
 * @param time field that tells when a record was made; it may not be missing
 * @param key field by which records are dealt out, a text or a number that may not be missing:
 *     those of one key stay in their order
 */
public record RecordSchema(String name, List<Field> fields, String time, String key)
    implements Serializable {
  /** Most fields of a record. */
  public static final int MOST_FIELDS = 64;

  /** Columns behind those of the fields: where in the log a record stood. */
  private static final List<String> PLACE = List.of("log_partition", "log_offset", "log_index");

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,39}");
  private static final String NAMESPACE = "io.millrace.records";

  /** What the values of a field are. */
  public enum Type {
    /** A whole number of 64 bits; in JSON also in quotes, since not every writer can hold it. */
    NUMBER(TableSchema.Type.LONG),
    /** A finite number. */
    FRACTION(TableSchema.Type.DOUBLE),
    /** UTF-8. */
    TEXT(TableSchema.Type.TEXT),
    /** True or false: 1 or 0 in its column. */
    FLAG(TableSchema.Type.LONG),
    /** A moment: microseconds since the epoch in its column. */
    TIME(TableSchema.Type.TIME);

    private final TableSchema.Type column;

    Type(TableSchema.Type column) {
      this.column = column;
    }
  }

  /**
   * A field, which is a column of the same name.
   *
   * @param name in JSON, Avro and SQL: lower-case letters, digits and underscores, a letter first
   * @param type of its values
   * @param least smallest number, or shortest text in bytes; of other types not looked at
   * @param most largest number, or longest text in bytes
   * @param unit of a time where it is a number; null for other types
   * @param required whether a record without it is wrong
   * @param absent what stands in the column where it is missing: a Long, Double, String or Boolean;
   *     null for none
   */
  public record Field(
      String name,
      Type type,
      long least,
      long most,
      TimeUnit unit,
      boolean required,
      Serializable absent)
      implements Serializable {
    /** Longest text that a field may allow. */
    public static final int MOST_TEXT_BYTES = 1 << 16;

    /** Checks that the parts go together. */
    public Field {
      if (least > most || (type == Type.TEXT && (least < 0 || most > MOST_TEXT_BYTES))) {
        throw wrong(name, "cannot be from " + least + " to " + most);
      }
      if (absent != null && !fits(type, absent)) {
        throw wrong(name, "of the type " + type + " cannot be " + absent);
      }
      if ((type == Type.TIME) != (unit != null)) {
        throw wrong(name, "has the unit " + unit + ", which is for times alone");
      }
    }

    private static IllegalArgumentException wrong(String name, String what) {
      return new IllegalArgumentException("field '" + name + "' " + what);
    }

    private static boolean fits(Type type, Object value) {
      return switch (type) {
        case NUMBER -> value instanceof Long;
        case FRACTION -> value instanceof Double;
        case TEXT -> value instanceof String;
        case FLAG -> value instanceof Boolean;
        case TIME -> false;
      };
    }

    private static Field of(String name, Type type, long least, long most) {
      TimeUnit unit = type == Type.TIME ? TimeUnit.MILLISECONDS : null;
      return new Field(name, type, least, most, unit, true, null);
    }

    /** A whole number from {@code least} to {@code most}, which it includes. */
    public static Field number(String name, long least, long most) {
      return of(name, Type.NUMBER, Math.max(least, -Long.MAX_VALUE), most);
    }

    /** A number with a fraction from {@code least} to {@code most}, which it includes. */
    public static Field fraction(String name, long least, long most) {
      return of(name, Type.FRACTION, least, most);
    }

    /** Any finite number. */
    public static Field fraction(String name) {
      return of(name, Type.FRACTION, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /** A text of {@code least} to {@code most} bytes. */
    public static Field text(String name, int least, int most) {
      return of(name, Type.TEXT, least, most);
    }

    /** True or false. */
    public static Field flag(String name) {
      return of(name, Type.FLAG, 0, 1);
    }

    /**
     * A moment from the year 2000 to 2100: milliseconds since the epoch; in JSON also as text,
     * these in quotes or as {@code 2026-01-31T23:59:59.123Z}.
     */
    public static Field time(String name) {
      return of(name, Type.TIME, 0, 0);
    }

    /** The same with a number of another unit: seconds, milliseconds or microseconds. */
    public Field in(TimeUnit other) {
      return new Field(name, type, least, most, other, required, absent);
    }

    /** The same for a field that may be missing. */
    public Field orElse(Serializable value) {
      return new Field(name, type, least, most, unit, false, value);
    }

    /** The same for a field that may be missing, and is null then. */
    public Field orNull() {
      return orElse(null);
    }
  }

  /** Checks the fields. */
  public RecordSchema {
    fields = List.copyOf(fields);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "stream '" + name + "': lower-case letters, digits and underscores, at most 40");
    }
    if (fields.isEmpty() || fields.size() > MOST_FIELDS) {
      throw wrong(name, fields.size() + " fields: 1 to " + MOST_FIELDS + " are allowed");
    }
    Set<String> names = new HashSet<>(PLACE);
    for (Field field : fields) {
      if (!names.add(field.name())) {
        throw wrong(name, "field '" + field.name() + "' is there twice, or a name of ours");
      }
    }
    Field timed = field(name, fields, time);
    if (timed.type() != Type.TIME || !timed.required()) {
      throw wrong(name, "event time '" + time + "' is not a time that is required");
    }
    Field keyed = field(name, fields, key);
    if ((keyed.type() != Type.TEXT && keyed.type() != Type.NUMBER) || !keyed.required()) {
      throw wrong(name, "key '" + key + "' is not a text or number that is required");
    }
  }

  private static IllegalArgumentException wrong(String name, String what) {
    return new IllegalArgumentException("stream '" + name + "': " + what);
  }

  private static Field field(String stream, List<Field> fields, String name) {
    return fields.stream()
        .filter(field -> field.name().equals(name))
        .findFirst()
        .orElseThrow(() -> wrong(stream, "there is no field '" + name + "'"));
  }

  /** Place of the field of that name, counted from 0; also that of its column. */
  public int indexOf(String field) {
    return fields.indexOf(field(name, fields, field));
  }

  /** The columns of the fields, in their order. */
  public TableSchema columns() {
    return new TableSchema(
        fields.stream()
            .map(field -> new TableSchema.Column(field.name(), field.type().column))
            .toList());
  }

  /**
   * The same with three more columns, which tell each record apart from all others: {@code
   * log_partition}, {@code log_offset} and {@code log_index} of its value of the log and its place
   * there.
   */
  public TableSchema columnsWithPlace() {
    List<TableSchema.Column> columns = new ArrayList<>(columns().columns());
    PLACE.forEach(column -> columns.add(new TableSchema.Column(column, TableSchema.Type.LONG)));
    return new TableSchema(columns);
  }

  /** The schema of its records in Avro, as JSON: what is to be given to those who write them. */
  public String avro() {
    return SchemaFormatter.format("json/pretty", avroSchema());
  }

  /** The same, parsed: a field that may be missing has a default, or is a union with null. */
  Schema avroSchema() {
    return Schema.createRecord(
        name, null, NAMESPACE, false, fields.stream().map(RecordSchema::avroField).toList());
  }

  private static Schema.Field avroField(Field field) {
    Schema type = avroType(field);
    if (field.required()) {
      return new Schema.Field(field.name(), type);
    }
    return field.absent() == null
        ? new Schema.Field(
            field.name(),
            Schema.createUnion(Schema.create(Schema.Type.NULL), type),
            null,
            Schema.Field.NULL_DEFAULT_VALUE)
        : new Schema.Field(field.name(), type, null, field.absent());
  }

  private static Schema avroType(Field field) {
    return switch (field.type()) {
      case NUMBER -> Schema.create(Schema.Type.LONG);
      case FRACTION -> Schema.create(Schema.Type.DOUBLE);
      case TEXT -> Schema.create(Schema.Type.STRING);
      case FLAG -> Schema.create(Schema.Type.BOOLEAN);
      case TIME -> {
        Schema time = Schema.create(Schema.Type.LONG);
        if (field.unit() != TimeUnit.SECONDS) {
          time.addProp(
              "logicalType",
              field.unit() == TimeUnit.MICROSECONDS ? "timestamp-micros" : "timestamp-millis");
        }
        yield time;
      }
    };
  }
}
