package io.millrace.wire.record;

import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.avro.Schema;
import org.apache.avro.SchemaFormatter;

/**
 * Schema of a stream's records in any encoding: their fields, with event time and key. Immutable.
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
 * A record in JSON is an object of these fields; others are skipped, and null means absent. In Avro
 * it is a record of {@link #avro}, or of a schema that resolves to it.
 *
 * @param name of the stream: lower-case letters, digits and underscores, a letter first, at most 40
 * @param fields 1 to 64, no name twice
 * @param time field of the event time; required
 * @param key field by which records are partitioned, a required text or number; records of one key
 *     stay in order
 */
public record RecordSchema(String name, List<Field> fields, String time, String key)
    implements Serializable {
  /** Maximum number of fields. */
  public static final int MAX_FIELDS = 64;

  private static final List<TableSchema.Column> PLACE =
      List.of(
          new TableSchema.Column("log_partition", TableSchema.Type.LONG),
          new TableSchema.Column("log_offset", TableSchema.Type.LONG),
          new TableSchema.Column("log_index", TableSchema.Type.LONG),
          new TableSchema.Column("log_arrival", TableSchema.Type.TIME));

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,39}");
  private static final String NAMESPACE = "io.millrace.records";

  /** Found once: Avro's search for it fails if two threads are the first at the same time. */
  private static final SchemaFormatter PRETTY = SchemaFormatter.getInstance("json/pretty");

  /** Type of a field's values. */
  public enum Type {
    /**
     * A whole number of 64 bits; in JSON also in quotes, since some writers cannot represent it.
     */
    NUMBER(TableSchema.Type.LONG),
    /** A finite number. */
    FRACTION(TableSchema.Type.DOUBLE),
    /** UTF-8. */
    TEXT(TableSchema.Type.TEXT),
    /** True or false: 1 or 0 in its column. */
    FLAG(TableSchema.Type.LONG),
    /** One of some words: its place among them in its column, from 1. */
    CHOICE(TableSchema.Type.LONG),
    /** A time: microseconds since the epoch in its column. */
    TIME(TableSchema.Type.TIME);

    private final TableSchema.Type column;

    Type(TableSchema.Type column) {
      this.column = column;
    }
  }

  /**
   * Field, which is a column of the same name in lower case.
   *
   * @param name in JSON and Avro: letters, digits and underscores, a lower-case letter first
   * @param type of its values
   * @param min smallest number, or shortest text in bytes; ignored for other types
   * @param max largest number, or longest text in bytes
   * @param unit of a numeric time; null for other types
   * @param required whether a record without it is invalid
   * @param absent default of an absent field: a Long, Double, String or Boolean; null for none
   * @param choices words of a choice, in the order of their numbers; empty for other types
   * @param rounded whether a number or time in JSON may have a fraction, and is rounded half up
   * @param attribute whether a request may have a value for its records that lack the field
   */
  public record Field(
      String name,
      Type type,
      long min,
      long max,
      TimeUnit unit,
      boolean required,
      Serializable absent,
      List<String> choices,
      boolean rounded,
      boolean attribute)
      implements Serializable {
    /** Upper limit for the length of a text in bytes. */
    public static final int MAX_TEXT_BYTES = 1 << 16;

    /** Checks that the parts are consistent. */
    public Field {
      if (min > max || (type == Type.TEXT && (min < 0 || max > MAX_TEXT_BYTES))) {
        throw wrong(name, "invalid range from " + min + " to " + max);
      }
      choices = List.copyOf(choices);
      if (absent != null
          && !(type == Type.CHOICE ? choices.contains(absent) : fits(type, absent))) {
        throw wrong(name, "invalid default " + absent + " for the type " + type);
      }
      if ((type == Type.TIME) != (unit != null)) {
        throw wrong(name, "expected a unit for times only, found " + unit + " for " + type);
      }
      if (attribute && type != Type.CHOICE && type != Type.FLAG) {
        throw wrong(name, "an attribute must be a choice or a flag, found " + type);
      }
      if (rounded && min < 0) {
        throw wrong(name, "a rounded number must not be negative, found the range from " + min);
      }
    }

    private static IllegalArgumentException wrong(String name, String what) {
      return new IllegalArgumentException("field '" + name + "': " + what);
    }

    private static boolean fits(Type type, Object value) {
      return switch (type) {
        case NUMBER -> value instanceof Long;
        case FRACTION -> value instanceof Double;
        case TEXT -> value instanceof String;
        case FLAG -> value instanceof Boolean;
        case TIME, CHOICE -> false;
      };
    }

    private static Field of(String name, Type type, long min, long max) {
      TimeUnit unit = type == Type.TIME ? TimeUnit.MILLISECONDS : null;
      return new Field(name, type, min, max, unit, true, null, List.of(), false, false);
    }

    /** Name of its column. */
    public String column() {
      return name.toLowerCase(Locale.ROOT);
    }

    /** A whole number from {@code min} to {@code max}, inclusive. */
    public static Field number(String name, long min, long max) {
      return of(name, Type.NUMBER, Math.max(min, -Long.MAX_VALUE), max);
    }

    /** A fraction from {@code min} to {@code max}, inclusive. */
    public static Field fraction(String name, long min, long max) {
      return of(name, Type.FRACTION, min, max);
    }

    /** Any finite number. */
    public static Field fraction(String name) {
      return of(name, Type.FRACTION, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /** A text of {@code min} to {@code max} bytes. */
    public static Field text(String name, int min, int max) {
      return of(name, Type.TEXT, min, max);
    }

    /** True or false. */
    public static Field flag(String name) {
      return of(name, Type.FLAG, 0, 1);
    }

    /** One of some words, which are names in Avro. */
    public static Field choice(String name, List<String> choices) {
      return new Field(
          name, Type.CHOICE, 1, choices.size(), null, true, null, choices, false, false);
    }

    /**
     * A time from the year 2000 to 2100: milliseconds since the epoch; in JSON also as text, as
     * digits or as {@code 2026-01-31T23:59:59.123Z}.
     */
    public static Field time(String name) {
      return of(name, Type.TIME, 0, 0);
    }

    /** This field with another unit: seconds, milliseconds or microseconds. */
    public Field in(TimeUnit other) {
      return new Field(name, type, min, max, other, required, absent, choices, rounded, attribute);
    }

    /** This field, optional with a default. */
    public Field orElse(Serializable value) {
      return new Field(name, type, min, max, unit, false, value, choices, rounded, attribute);
    }

    /** This field, which may have a fraction in JSON: a number of at least 0, or a time. */
    public Field round() {
      return new Field(name, type, min, max, unit, required, absent, choices, true, attribute);
    }

    /**
     * This choice or flag as an attribute: a request may have it as a query parameter, for its
     * records that lack the field. If required, it must be in the record or the request.
     */
    public Field orOfRequest() {
      return new Field(name, type, min, max, unit, required, absent, choices, rounded, true);
    }

    /** This field, optional and null if absent. */
    public Field orNull() {
      return orElse(null);
    }
  }

  /** Checks the fields. */
  public RecordSchema {
    fields = List.copyOf(fields);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "stream '" + name + "': expected lower-case letters, digits and underscores, at most 40");
    }
    if (fields.isEmpty() || fields.size() > MAX_FIELDS) {
      throw wrong(name, fields.size() + " fields, expected 1 to " + MAX_FIELDS);
    }
    Set<String> names = new HashSet<>();
    PLACE.forEach(column -> names.add(column.name()));
    for (Field field : fields) {
      if (!names.add(field.column())) {
        throw wrong(name, "field '" + field.name() + "' is a duplicate or a reserved name");
      }
    }
    Field timed = field(name, fields, time);
    if (timed.type() != Type.TIME || !timed.required()) {
      throw wrong(name, "event time '" + time + "' must be a required time field");
    }
    Field keyed = field(name, fields, key);
    if ((keyed.type() != Type.TEXT && keyed.type() != Type.NUMBER) || !keyed.required()) {
      throw wrong(name, "key '" + key + "' must be a required text or number field");
    }
  }

  private static IllegalArgumentException wrong(String name, String what) {
    return new IllegalArgumentException("stream '" + name + "': " + what);
  }

  private static Field field(String stream, List<Field> fields, String name) {
    return fields.stream()
        .filter(field -> field.name().equals(name))
        .findFirst()
        .orElseThrow(() -> wrong(stream, "unknown field '" + name + "'"));
  }

  /** Index of the field of that name, from 0; also that of its column. */
  public int indexOf(String field) {
    return fields.indexOf(field(name, fields, field));
  }

  /** The columns of the fields, in their order. */
  public TableSchema columns() {
    return new TableSchema(
        fields.stream()
            .map(field -> new TableSchema.Column(field.column(), field.type().column))
            .toList());
  }

  /**
   * The columns of the fields, three that identify each record: {@code log_partition}, {@code
   * log_offset} and {@code log_index}, its position in the log; and its {@code log_arrival}.
   */
  public TableSchema columnsWithPlace() {
    List<TableSchema.Column> columns = new ArrayList<>(columns().columns());
    columns.addAll(PLACE);
    return new TableSchema(columns);
  }

  /**
   * The attributes of a request.
   *
   * @param parameters of the request, null for a missing one
   * @throws IllegalArgumentException if one has an invalid value; says which
   */
  public RecordAttributes attributes(UnaryOperator<String> parameters) {
    RecordAttributes all = RecordAttributes.NONE;
    for (int i = 0; i < fields.size(); i++) {
      Field field = fields.get(i);
      String value = field.attribute() ? parameters.apply(field.name()) : null;
      if (value != null) {
        List<String> choices =
            field.type() == Type.FLAG ? List.of("false", "true") : field.choices();
        int number = choices.indexOf(value);
        if (number < 0) {
          throw new IllegalArgumentException(
              "%s: %s: expected %s".formatted(field.name(), value, oneOf(choices)));
        }
        all = all.with(i, field.type() == Type.FLAG ? number : number + 1);
      }
    }
    return all;
  }

  /** Joins words for a message: {@code a, b or c}. */
  static String oneOf(List<String> words) {
    int last = words.size() - 1;
    return last < 1
        ? String.join("", words)
        : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  /** The schema of its records in Avro, as JSON, for their writers. */
  public String avro() {
    return PRETTY.format(avroSchema());
  }

  Schema avroSchema() {
    return Schema.createRecord(
        name, null, NAMESPACE, false, fields.stream().map(RecordSchema::avroField).toList());
  }

  private static Schema.Field avroField(Field field) {
    Schema type = avroType(field);
    if (field.required() && !field.attribute()) {
      return new Schema.Field(field.name(), type);
    }
    return field.absent() == null || field.attribute()
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
      case CHOICE -> Schema.createEnum(field.name(), null, NAMESPACE, field.choices());
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
