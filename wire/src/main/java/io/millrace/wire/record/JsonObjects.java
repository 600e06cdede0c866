package io.millrace.wire.record;

/**
 * Records in JSON, read without an object for each: objects one behind the other, as on lines, or
 * an array of them. A subclass takes the fields that it knows. Not thread-safe.
 *
 * <p>Behind an object that is not JSON, the next line is read; behind an array that is broken
 * nothing is, which {@link RecordErrors#isTruncated} tells.
 */
public abstract class JsonObjects {
  /** The record is none, and where it ends is not known. */
  private static final String NO_JSON = "is not JSON here, at byte ";

  /** The text; in {@link #takeField} its string is the field's name. */
  protected final JsonCursor json = new JsonCursor();

  /** What is wrong with the record that is being read, first of all; null for nothing. */
  private String wrongField;

  private String wrongReason;
  private RecordErrors errors;

  /** Reads nothing yet. */
  protected JsonObjects() {}

  /** A record begins: nothing of it is known. */
  protected abstract void begin();

  /** Takes the value of a field, or steps over it; false if it is not JSON. */
  protected abstract boolean takeField();

  /**
   * A record has ended of which nothing is {@linkplain #wrong wrong} so far: adds it, or says what
   * is.
   *
   * @param start where it starts in the text
   * @param end where it ends, exclusive
   */
  protected abstract void end(int start, int end);

  /** Says that the record is wrong; what is said first counts. */
  protected final void wrong(String field, String reason) {
    if (wrongField == null) {
      wrongField = field;
      wrongReason = reason;
    }
  }

  /** Whether the record is wrong. */
  protected final boolean isWrong() {
    return wrongField != null;
  }

  /** Reads all records of a text; gives how many there are, wrong ones too. */
  protected final int decode(byte[] bytes, int offset, int length, RecordErrors wrong) {
    errors = wrong;
    json.wrap(bytes, offset, length);
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
        errors.add(index - 1, wrongField, wrongReason); // a number, say, which has an end
      }
      if (json.take(']')) {
        checkEnd(index);
        return index;
      }
      if (!json.take(',')) {
        errors.end(index, "", "a comma or the array's end is expected, " + place());
        return index;
      }
    }
    if (isArray) {
      errors.end(index, "", "the array does not end");
    }
    return index;
  }

  private void checkEnd(int index) {
    if (json.next() >= 0) {
      errors.end(index, "", "something follows the array, " + place());
    }
  }

  private String place() {
    return "at byte " + json.at;
  }

  /**
   * Reads a record, and tells what is wrong with it; false if it is no object, or one that is not
   * JSON and of which nobody knows where it ends, and the caller has to tell.
   */
  private boolean takeRecord(int index) {
    int start = json.at;
    wrongField = null;
    begin();
    if (!takeFields()) {
      wrongField = "";
      wrongReason = NO_JSON + json.at;
      if (json.bytes[start] != '{') {
        wrongReason = "an object is expected, at byte " + start;
      }
      return false;
    }
    if (wrongField == null) {
      end(start, json.at);
    }
    if (wrongField != null) {
      errors.add(index, wrongField, wrongReason);
    }
    return true;
  }

  /** Walks over the fields; false if they are not JSON. */
  private boolean takeFields() {
    JsonCursor in = json;
    if (!in.take('{')) {
      return false;
    }
    if (in.take('}')) {
      return true;
    }
    do {
      if (!in.takeString() || !in.take(':') || !takeField()) {
        return false;
      }
    } while (in.take(','));
    return in.take('}');
  }
}
