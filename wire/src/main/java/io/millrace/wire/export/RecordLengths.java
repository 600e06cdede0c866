package io.millrace.wire.export;

import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.netflow.NetflowLayout;
import io.millrace.wire.netflow.SequenceMeaning;
import java.util.Arrays;

/**
 * Record lengths of the templates of one version 9 exporter: enough to count the records of a
 * datagram without decoding them. Accepts any bytes; keeps at most {@value #MAX} templates. Not
 * thread-safe.
 */
public final class RecordLengths {
  /** Maximum number of templates. */
  public static final int MAX = 64;

  private static final int OPTIONS = 1;
  private static final int FIELD = 4;
  private static final int VARIABLE = 0xFFFF;

  private int[] ids = new int[4];
  private int[] lengths = new int[4]; // negative for options
  private int size;

  void count(byte[] b, int off, int len, SequenceMeaning to) {
    to.begin();
    int end = off + len;
    int at = off + NetflowLayout.V9_HEADER_LENGTH;
    while (end - at >= NetflowLayout.SET_HEADER_LENGTH) {
      int id = u16(b, at);
      int length = u16(b, at + 2);
      if (length < NetflowLayout.SET_HEADER_LENGTH || length > end - at) {
        if (id != 0 || length != 0) {
          to.unknown();
        }
        return;
      }
      int body = at + NetflowLayout.SET_HEADER_LENGTH;
      at += length;
      if (id <= OPTIONS) {
        templates(b, body, at, id == OPTIONS);
      } else if (id >= NetflowLayout.MIN_TEMPLATE_ID) {
        int record = length(id);
        if (record == 0) {
          to.unknown();
        } else {
          to.add(id, record < 0, (at - body) / Math.abs(record));
        }
      }
    }
  }

  private void templates(byte[] b, int from, int end, boolean isOptions) {
    int at = from;
    int header = isOptions ? 6 : 4;
    while (end - at >= header) {
      int id = u16(b, at);
      int fields = isOptions ? u16(b, at + 2) / FIELD + u16(b, at + 4) / FIELD : u16(b, at + 2);
      at += header;
      if (id < NetflowLayout.MIN_TEMPLATE_ID || fields > (end - at) / FIELD) {
        return;
      }
      int record = 0;
      for (int i = 0; i < fields; i++, at += FIELD) {
        int length = u16(b, at + 2);
        record =
            length == VARIABLE || record == VARIABLE
                ? VARIABLE
                : Math.min(VARIABLE, record + length);
      }
      put(id, record == VARIABLE ? 0 : isOptions ? -record : record);
    }
  }

  private int length(int id) {
    for (int i = 0; i < size; i++) {
      if (ids[i] == id) {
        return lengths[i];
      }
    }
    return 0;
  }

  private void put(int id, int length) {
    int i = 0;
    while (i < size && ids[i] != id) {
      i++;
    }
    if (i == size) {
      if (size == MAX) {
        return;
      }
      if (size == ids.length) {
        ids = Arrays.copyOf(ids, 2 * size);
        lengths = Arrays.copyOf(lengths, 2 * size);
      }
      size++;
    }
    ids[i] = id;
    lengths[i] = length;
  }
}
