package io.millrace.wire.record;

/**
 * Records in JSON, read without an object for each: objects one behind the other, as on lines, or
 * an array of them. A subclass takes the fields that it knows. Not thread-safe.
 *
 * <p>Records of one writer are alike: what stood between two values in the record before, comma,
 * name and colon, mostly stands there again. So these bytes are kept for each place, with the field
 * that they lead to, and where they come again they are neither parsed nor looked up:
 *
 * <pre>
 *   {"ad_id": "5d0", "event_type": "view"}
 *    └ lead ┘     └───── lead ────┘
 * </pre>
 *
 * <p>Behind an object that is not JSON, the next line is read; behind an array that is broken
 * nothing is, which {@link RecordErrors#isTruncated} tells.
 */
public abstract class JsonObjects {
  /** The record is none, and where it ends is not known. */
  private static final String NO_JSON = "is not JSON here, at byte ";

  /** Places whose leads are kept, and bytes of the longest one that is. */
  private static final int MOST_LEADS = 64;

  private static final int MOST_LEAD_BYTES = 64;

  /** The text; in {@link #field} its string is the field's name. */
  protected final JsonCursor json = new JsonCursor();

  // By place in the record.
  private final byte[][] leads = new byte[MOST_LEADS][];
  private final int[] leadLength = new int[MOST_LEADS]; // 0 for none
  private final int[] leadsTo = new int[MOST_LEADS];

  /** What is wrong with the record that is being read, first of all; null for nothing. */
  private String wrongField;

  private String wrongReason;
  private RecordErrors errors;

  /** Reads nothing yet. */
  protected JsonObjects() {}

  /** A record begins: nothing of it is known. */
  protected abstract void begin();

  /** Number of the field whose name the text's string is; negative for one to step over. */
  protected abstract int field();

  /** Takes the value of a field, or steps over it; false if it is not JSON. */
  protected abstract boolean takeField(int field);

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

  /** What is between there and the cursor leads to a field. */
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
