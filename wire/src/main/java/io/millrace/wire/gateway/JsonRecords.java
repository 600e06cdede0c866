package io.millrace.wire.gateway;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.record.JsonCursor;
import io.millrace.wire.record.JsonObjects;
import io.millrace.wire.record.RecordErrors;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Decoder of gateway records in JSON, without an object per record.
 *
 * <pre>{"gateway_id":"gw-17","date":1700000000000,"ipTx":1200,"ipRx":88000,"form":"counter"}</pre>
 *
 * Fields come in any order and unknown ones are skipped; the last one of a repeated field counts.
 * Each byte of a record is touched once, some 90 of them. Not thread-safe.
 */
final class JsonRecords extends JsonObjects {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int RATE = word('r', 'a', 't', 'e');

  // Fields.
  private static final int DATE = 0;
  private static final int IP_TX = 1;
  private static final int IP_RX = 2;
  private static final int FORM = 3;
  private static final int ID = 4;
  private static final int OTHER = -1;

  /** First four bytes of their names. */
  private static final int[] WORDS = {
    word('d', 'a', 't', 'e'),
    word('i', 'p', 'T', 'x'),
    word('i', 'p', 'R', 'x'),
    word('f', 'o', 'r', 'm')
  };

  private static final long MISSING = -2;

  private byte[] id;
  private int idStart;
  private int idLength;
  private long millis;
  private long tx;
  private long rx;
  private int form;

  private int byPath;
  private GatewayBlock into;

  private static int word(int a, int b, int c, int d) {
    return a | b << 8 | c << 16 | d << 24;
  }

  int decode(
      byte[] bytes,
      int offset,
      int length,
      int formByPath,
      GatewayBlock block,
      RecordErrors wrong) {
    byPath = formByPath;
    into = block;
    return decode(bytes, offset, length, wrong);
  }

  @Override
  protected void begin() {
    id = null;
    idLength = 0;
    millis = MISSING;
    tx = MISSING;
    rx = MISSING;
    form = byPath;
  }

  @Override
  protected int field() {
    byte[] name = json.string();
    int at = json.stringStart();
    if (json.stringLength() == 10 && isText(name, at, "gateway_id")) {
      return ID;
    }
    int field = json.stringLength() == 4 ? WORDS.length - 1 : OTHER;
    while (field >= 0 && WORDS[field] != (int) INT.get(name, at)) {
      field--;
    }
    return field;
  }

  @Override
  protected boolean takeField(int field) {
    return switch (field) {
      case DATE -> {
        millis = json.takeNumber();
        yield millis >= 0 || notANumber("date", GatewayRules.WRONG_DATE, millis);
      }
      case IP_TX -> {
        tx = json.takeNumber();
        yield tx >= 0 || notANumber("ipTx", GatewayRules.WRONG_NUMBER, tx);
      }
      case IP_RX -> {
        rx = json.takeNumber();
        yield rx >= 0 || notANumber("ipRx", GatewayRules.WRONG_NUMBER, rx);
      }
      case FORM -> takeForm();
      default -> takeId();
    };
  }

  private boolean takeId() {
    if (!json.takeString()) {
      wrong("gateway_id", GatewayRules.WRONG_ID);
      return json.skipValue();
    }
    id = json.string();
    idStart = json.stringStart();
    idLength = json.stringLength();
    if (!GatewayRules.isId(id, idStart, idLength)) {
      wrong("gateway_id", GatewayRules.WRONG_ID);
    }
    return true;
  }

  private boolean takeForm() {
    if (json.takeNull()) {
      return true;
    }
    if (!json.takeString()) {
      wrong("form", GatewayRules.WRONG_FORM);
      return json.skipValue();
    }
    int code = formCode(json.string(), json.stringStart(), json.stringLength());
    if (code == GatewayForm.UNSPECIFIED) {
      wrong("form", GatewayRules.WRONG_FORM);
    } else {
      form = code;
    }
    return true;
  }

  private static int formCode(byte[] text, int at, int length) {
    if (length == 4 && (int) INT.get(text, at) == RATE) {
      return GatewayForm.RATE.code();
    }
    if (length == 7 && isText(text, at, "counter")) {
      return GatewayForm.COUNTER.code();
    }
    if (length == 10 && isText(text, at, "cumulative")) {
      return GatewayForm.CUMULATIVE.code();
    }
    return GatewayForm.UNSPECIFIED;
  }

  private static boolean isText(byte[] text, int at, String expected) {
    for (int i = 0; i < expected.length(); i++) {
      if (text[at + i] != expected.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private boolean notANumber(String field, String reason, long read) {
    wrong(field, reason);
    return read != JsonCursor.BROKEN || json.skipValue();
  }

  @Override
  protected void end(int start, int end) {
    if (isGood()) {
      into.add(id, idStart, idLength, millis * GatewayRules.MICROS, tx, rx, form, start, end);
    }
  }

  private boolean isGood() {
    if (id == null) {
      wrong("gateway_id", GatewayRules.MISSING);
    } else if (millis == MISSING) {
      wrong("date", GatewayRules.MISSING);
    } else if (tx == MISSING) {
      wrong("ipTx", GatewayRules.MISSING);
    } else if (rx == MISSING) {
      wrong("ipRx", GatewayRules.MISSING);
    } else {
      String field = GatewayRules.wrongField(millis, tx, rx, form);
      if (field != null) {
        wrong(field, GatewayRules.reason(field, form));
      }
    }
    return !isWrong();
  }
}
