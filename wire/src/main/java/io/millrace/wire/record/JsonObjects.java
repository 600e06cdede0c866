package io.millrace.wire.record;

/**
 * Reader of JSON records without an object per record: consecutive objects, as on lines, or an
 * array of them. A subclass reads its fields. Not thread-safe.
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
public abstract class JsonObjects {
  private static final String NO_JSON = "invalid JSON at byte ";

  private static final int MOST_LEADS = 64;

  private static final int MOST_LEAD_BYTES = 64;

  /** The text; during {@link #field} its string is the field's name. */
  protected final JsonCursor json = new JsonCursor();

  // By position in the record.
  private final byte[][] leads = new byte[MOST_LEADS][];
  private final int[] leadLength = new int[MOST_LEADS]; // 0 for none
  private final int[] leadsTo = new int[MOST_LEADS];

  private String wrongField;

  private String wrongReason;
  private RecordErrors errors;

  /** A reader without text. */
  protected JsonObjects() {}

  /** Begins a record, without fields. */
  protected abstract void begin();

  /** Number of the field named by the text's string; negative for one to skip. */
  protected abstract int field();

  /** Reads or skips the value of a field; false if it is not JSON. */
  protected abstract boolean takeField(int field);

  /**
   * Ends a record without a fault so far: adds it, or reports its fault.
   *
   * @param start of the record in the text
   * @param end of the record, exclusive
   */
  protected abstract void end(int start, int end);

  /** Reports a fault of the record; the first one counts. */
  protected final void wrong(String field, String reason) {
    if (wrongField == null) {
      wrongField = field;
      wrongReason = reason;
    }
  }

  /** Whether the record has a fault. */
  protected final boolean isWrong() {
    return wrongField != null;
  }

  /** Reads all records of a text; returns their number, including invalid ones. */
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
        errors.add(index - 1, wrongField, wrongReason); // for example a number, which has an end
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
    begin();
    if (!takeFields()) {
      wrongField = "";
      wrongReason = NO_JSON + json.at;
      if (json.bytes[start] != '{') {
        wrongReason = "expected an object, at byte " + start;
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

  private boolean takeFields() {
    JsonCursor in = json;
    if (!in.take('{')) {
      return false;
    }
    for (int place = 0; ; place++) {
      int start = in.at;
      int field;
      if (place < MOST_LEADS && in.takeBytes(leads[place], leadLength[place])) {
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
    if (place < MOST_LEADS) {
      boolean isShort = length <= MOST_LEAD_BYTES;
      leadLength[place] = isShort ? length : 0;
      if (isShort) {
        leads[place] = leads[place] == null ? new byte[MOST_LEAD_BYTES] : leads[place];
        System.arraycopy(json.bytes, start, leads[place], 0, length);
        leadsTo[place] = field;
      }
    }
  }
}
