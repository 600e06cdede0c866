package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;

/**
 * Decodes JSON records without an object per record: consecutive objects, as on lines, or an array
 * of them. Not thread-safe.
 *
 * <p>Records of one writer are alike: the bytes between two values, comma, name and colon, mostly
 * equal those of the previous record. They are cached for each position with their field, and if
 * they come again they are neither parsed nor looked up:
 *
 * <pre>
 *   {"ad_id": "5d0", "event_type": "view"}
 *    └ lead ┘     └───── lead ────┘
 * </pre>
 *
 * <p>After an object that is not JSON, reading continues with the next line; after a broken array
 * it stops, see {@link RecordErrors#isTruncated}.
 */
final class RecordJson {
  private static final String NO_JSON = "invalid JSON at byte ";

  private static final int MAX_LEADS = 64;

  private static final int MAX_LEAD_BYTES = 64;

  private static final int NONE = -1;

  private static final int MAX_TIME_BYTES = 40;

  private final RecordRow row;

  /** The text; during {@link #field} its string is the field's name. */
  private final JsonCursor json = new JsonCursor();

  private final JsonCursor quoted = new JsonCursor();

  // By position in the record.
  private final byte[][] leads = new byte[MAX_LEADS][];
  private final int[] leadLength = new int[MAX_LEADS]; // 0 for none
  private final int[] leadsTo = new int[MAX_LEADS];

  private String wrongField;

  private String wrongReason;
  private RecordErrors errors;

  RecordJson(RecordRow row) {
    this.row = row;
  }

  /** Reads all records of a text; returns their number, including invalid ones. */
  int decode(
      byte[] bytes,
      int offset,
      int length,
      RecordAttributes attributes,
      TableBlock into,
      RecordErrors wrong) {
    errors = wrong;
    row.wrap(into, attributes);
    json.wrap(bytes, offset, length);
    int count = decode();
    row.finish();
    return count;
  }

  /** Notes a fault of the record; only the first is reported. */
  private void wrong(String field, String reason) {
    if (wrongField == null) {
      wrongField = field;
      wrongReason = reason;
    }
  }

  private int decode() {
    boolean isArray = json.take('[');
    if (isArray && json.take(']')) {
      checkEnd(0);
      return 0;
    }
    int index = 0;
    while (json.next() >= 0) {
      boolean isObject = json.next() == '{';
      boolean hasEnd = takeRecord(index);
      index++;
      if (!isArray) {
        if (!hasEnd) {
          errors.add(index - 1, wrongField, wrongReason);
          json.skipLine();
        }
        continue;
      }
      if (!hasEnd) {
        if (isObject || !json.skipValue()) {
          errors.end(index - 1, wrongField, wrongReason);
          return index;
        }
        errors.add(index - 1, wrongField, wrongReason); // for example a number, whose end is known
      }
      if (json.take(']')) {
        checkEnd(index);
        return index;
      }
      if (!json.take(',')) {
        errors.end(index, "", "expected a comma or the end of the array, " + place());
        return index;
      }
    }
    if (isArray) {
      errors.end(index, "", "unterminated array");
    }
    return index;
  }

  private void checkEnd(int index) {
    if (json.next() >= 0) {
      errors.end(index, "", "unexpected data after the array, " + place());
    }
  }

  private String place() {
    return "at byte " + json.at;
  }

  /** Returns false, without reporting a fault, if the record's end is unknown. */
  private boolean takeRecord(int index) {
    int start = json.at;
    wrongField = null;
    row.begin();
    if (!takeFields()) {
      wrongField = "";
      wrongReason = NO_JSON + json.at;
      if (json.bytes[start] != '{') {
        wrongReason = "expected an object, at byte " + start;
      }
      return false;
    }
    int missing = row.missing();
    if (wrongField != null) {
      errors.add(index, wrongField, wrongReason);
    } else if (missing >= 0) {
      errors.add(index, row.name(missing), row.missing(missing));
    } else {
      row.add();
    }
    return true;
  }

  private boolean takeFields() {
    JsonCursor in = json;
    if (!in.take('{')) {
      return false;
    }
    for (int place = 0; ; place++) {
      int start = in.at;
      int field;
      if (place < MAX_LEADS && in.takeBytes(leads[place], leadLength[place])) {
        field = leadsTo[place];
      } else if (place == 0 ? in.take('}') : !in.take(',')) {
        return place == 0 || in.take('}');
      } else if (in.takeString() && in.take(':')) {
        field = field();
        keepLead(place, start, field);
      } else {
        return false;
      }
      if (field < 0 ? !in.skipValue() : !takeField(field)) {
        return false;
      }
    }
  }

  private void keepLead(int place, int start, int field) {
    json.next();
    int length = json.at - start;
    if (place < MAX_LEADS) {
      boolean isShort = length <= MAX_LEAD_BYTES;
      leadLength[place] = isShort ? length : 0;
      if (isShort) {
        leads[place] = leads[place] == null ? new byte[MAX_LEAD_BYTES] : leads[place];
        System.arraycopy(json.bytes, start, leads[place], 0, length);
        leadsTo[place] = field;
      }
    }
  }

  private int field() {
    for (int field = 0; field < row.size(); field++) {
      if (isName(field)) {
        return field;
      }
    }
    return NONE;
  }

  private boolean takeField(int field) {
    if (json.takeNull()) {
      row.forget(field);
      return true;
    }
    boolean isRight =
        switch (row.types[field]) {
          case NUMBER, TIME -> takeNumber(field);
          case FRACTION -> row.put(field, json.takeDouble());
          case TEXT ->
              json.takeString()
                  && row.put(field, json.string(), json.stringStart(), json.stringLength());
          case FLAG -> takeFlag(field);
          case CHOICE ->
              json.takeString()
                  && row.putChoice(field, json.string(), json.stringStart(), json.stringLength());
        };
    return isRight || takeWrong(field);
  }

  private boolean isName(int field) {
    byte[] name = row.names[field];
    int start = json.stringStart();
    return name.length == json.stringLength()
        && Arrays.equals(json.string(), start, start + name.length, name, 0, name.length);
  }

  private boolean takeNumber(int field) {
    if (json.next() != '"') {
      long value = row.isRounded[field] ? json.takeNumber() : json.takeLong();
      return value != JsonCursor.BROKEN && row.put(field, value);
    }
    if (!json.takeString()) {
      return false;
    }
    quoted.wrap(json.string(), json.stringStart(), json.stringLength());
    int end = json.stringStart() + json.stringLength();
    long value = quoted.takeLong();
    if (value != JsonCursor.BROKEN && quoted.at() == end) {
      return row.put(field, value);
    }
    return row.types[field] == RecordSchema.Type.TIME && takeMoment(field);
  }

  private boolean takeMoment(int field) {
    if (json.stringLength() > MAX_TIME_BYTES) {
      return false;
    }
    String text =
        new String(
            json.string(), json.stringStart(), json.stringLength(), StandardCharsets.US_ASCII);
    try {
      Instant moment = OffsetDateTime.parse(text).toInstant();
      return row.putMicros(field, ChronoUnit.MICROS.between(Instant.EPOCH, moment));
    } catch (DateTimeException | ArithmeticException e) {
      return false;
    }
  }

  private boolean takeFlag(int field) {
    int flag = json.takeFlag();
    return flag >= 0 && row.put(field, flag);
  }

  private boolean takeWrong(int field) {
    wrong(row.name(field), row.expected(field));
    int next = json.next();
    return next == ',' || next == '}' || json.skipValue();
  }
}
