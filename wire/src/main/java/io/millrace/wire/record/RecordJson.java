package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;

final class RecordJson extends JsonObjects {
  private static final int NONE = -1;

  private static final int MOST_TIME_BYTES = 40;

  private final RecordRow row;
  private final JsonCursor quoted = new JsonCursor();

  RecordJson(RecordRow row) {
    this.row = row;
  }

  int decode(
      byte[] bytes,
      int offset,
      int length,
      RecordAttributes attributes,
      TableBlock into,
      RecordErrors errors) {
    row.wrap(into, attributes);
    int count = decode(bytes, offset, length, errors);
    row.finish();
    return count;
  }

  @Override
  protected void begin() {
    row.begin();
  }

  @Override
  protected void end(int start, int end) {
    int missing = row.missing();
    if (missing >= 0) {
      wrong(row.name(missing), row.missing(missing));
    } else {
      row.add();
    }
  }

  @Override
  protected int field() {
    for (int field = 0; field < row.size(); field++) {
      if (isName(field)) {
        return field;
      }
    }
    return NONE;
  }

  @Override
  protected boolean takeField(int field) {
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
    if (json.stringLength() > MOST_TIME_BYTES) {
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
