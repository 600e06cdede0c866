package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.put16;
import static io.millrace.wire.packet.BigEndian.put32;

import io.millrace.wire.block.FlowBlock;
import java.util.Arrays;

/**
 * Writer of version 9 or IPFIX messages into a reused array: {@link #begin}, then templates and
 * data in any order, then {@link #finish}. It counts sequence numbers by each version's rule. Not
 * thread-safe.
 */
public final class NetflowEncoder {
  private static final int MAX_LENGTH = 0xFFFF;

  private final int version;
  private final boolean isIpfix;
  private final byte[] bytes;
  private int length;
  private int records;
  private int templates;
  private int sequence;
  private long exportMicros;
  private int uptime;

  /**
   * An encoder.
   *
   * @param version 9 or 10
   * @param capacity maximum length of a message in bytes; 1,400 fits usual networks
   */
  public NetflowEncoder(int version, int capacity) {
    isIpfix = version == NetflowLayout.VERSION_IPFIX;
    if ((version != NetflowLayout.VERSION_9 && !isIpfix)
        || capacity < 64
        || capacity > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "netflow: version "
              + version
              + " in "
              + capacity
              + " bytes, expected version 9 or 10 in 64 to 65535 bytes");
    }
    this.version = version;
    bytes = new byte[capacity];
  }

  /**
   * Begins a message; uptime applies to version 9 only. Times are whole seconds in both versions.
   */
  public void begin(int domain, long exportTimeMicros, int uptimeMillis) {
    exportMicros = exportTimeMicros / 1_000_000 * 1_000_000;
    uptime = uptimeMillis;
    records = 0;
    templates = 0;
    int seconds = (int) (exportMicros / 1_000_000);
    put16(bytes, 0, version);
    if (isIpfix) {
      put32(bytes, NetflowLayout.IPFIX_EXPORT_OFFSET, seconds);
      put32(bytes, NetflowLayout.IPFIX_SEQUENCE_OFFSET, sequence);
      put32(bytes, NetflowLayout.IPFIX_DOMAIN_OFFSET, domain);
      length = NetflowLayout.IPFIX_HEADER_LENGTH;
    } else {
      put32(bytes, NetflowLayout.UPTIME_OFFSET, uptimeMillis);
      put32(bytes, NetflowLayout.UNIX_SECONDS_OFFSET, seconds);
      put32(bytes, NetflowLayout.V9_SEQUENCE_OFFSET, sequence);
      put32(bytes, NetflowLayout.V9_SOURCE_ID_OFFSET, domain);
      length = NetflowLayout.V9_HEADER_LENGTH;
    }
  }

  /** Number of records of the template that still fit, in a separate set. */
  public int room(ExportTemplate template) {
    int free = bytes.length - length - NetflowLayout.SET_HEADER_LENGTH;
    return Math.max(0, free / template.recordLength());
  }

  /** Appends a set with one template; false if it does not fit. */
  public boolean template(ExportTemplate template) {
    int n = template.fields();
    int size = 8 + n * NetflowLayout.FIELD_LENGTH;
    if (size > bytes.length - length) {
      return false;
    }
    int set = isIpfix ? NetflowLayout.IPFIX_TEMPLATE_SET : NetflowLayout.V9_TEMPLATE_SET;
    int at = set(set, size);
    put16(bytes, at, template.id());
    put16(bytes, at + 2, n);
    at += NetflowLayout.TEMPLATE_HEADER_LENGTH;
    for (int i = 0; i < n; i++, at += NetflowLayout.FIELD_LENGTH) {
      put16(bytes, at, template.element[i]);
      put16(bytes, at + 2, template.length[i]);
    }
    templates++;
    return true;
  }

  /** Appends a set of the rows from {@code from} to {@code to}; false if they do not fit. */
  public boolean data(ExportTemplate template, FlowBlock rows, int from, int to) {
    if (to - from > room(template)) {
      return false;
    }
    int size = NetflowLayout.SET_HEADER_LENGTH + (to - from) * template.recordLength();
    int at = set(template.id(), size);
    RecordWriter.write(template, rows, from, to, bytes, at, exportMicros, uptime);
    pad(at - NetflowLayout.SET_HEADER_LENGTH, template.recordLength());
    records += to - from;
    return true;
  }

  private int set(int id, int size) {
    int at = length;
    put16(bytes, at, id);
    put16(bytes, at + 2, size);
    length = at + size;
    return at + NetflowLayout.SET_HEADER_LENGTH;
  }

  /** Version 9 pads a set to a multiple of four bytes, if that fits. */
  private void pad(int set, int recordLength) {
    int padding = -length & 3;
    if (isIpfix || padding >= recordLength || padding > bytes.length - length) {
      return;
    }
    Arrays.fill(bytes, length, length + padding, (byte) 0);
    length += padding;
    put16(bytes, set + 2, length - set);
  }

  /** Ends the message, and returns its length. */
  public int finish() {
    if (isIpfix) {
      put16(bytes, NetflowLayout.IPFIX_LENGTH_OFFSET, length);
      sequence += records;
    } else {
      put16(bytes, NetflowLayout.COUNT_OFFSET, records + templates);
      sequence++;
    }
    return length;
  }

  /** Array with the message at index 0. */
  public byte[] bytes() {
    return bytes;
  }

  /** A copy of the message. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }
}
