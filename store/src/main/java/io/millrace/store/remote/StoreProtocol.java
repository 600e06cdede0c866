package io.millrace.store.remote;

import io.millrace.store.FlowSchema;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.TableSchema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Protocol of writers and stores. A connection belongs to one writer of one table. All numbers are
 * little-endian; a message is
 *
 * <pre>
 *   0        4      5
 *   +--------+------+---------------------+
 *   | length | type | body, length bytes  |
 *   +--------+------+---------------------+
 * </pre>
 *
 * <table>
 *   <caption>Requests</caption>
 *   <tr><th>type</th><th>body</th><th>response</th></tr>
 *   <tr><td>1 HELLO</td><td>"millrace" (8 bytes), version (2), proof of the {@link StoreSecret}
 *       (32)</td><td>DONE: version</td></tr>
 *   <tr><td>2 OPEN</td><td>table (text), columns (4), for each its kind (1)
 *       and name (text)</td><td>FRONTIER: committed log coverage</td></tr>
 *   <tr><td>9 OPEN_RESULTS</td><td>table of results (text), columns (4), for each its type (1) and
 *       name (text); columns of the key (4), for each its name (text)</td><td>DONE</td></tr>
 *   <tr><td>3 REWIND</td><td>fencing token (8), frontier; for results the checkpoint's id (8)</td><td>DONE</td></tr>
 *   <tr><td>4 BEGIN</td><td>fencing token (8), id of the checkpoint (8)</td><td>DONE</td></tr>
 *   <tr><td>5 APPEND</td><td>a block, as {@link io.millrace.wire.block.BlockCodec} writes
 *       it</td><td>none</td></tr>
 *   <tr><td>10 PART</td><td>the beginning of a body that is longer than {@link #MAX_BYTES}; the
 *       next message continues it, and its type says what it is</td><td>none</td></tr>
 *   <tr><td>6 FLUSH</td><td></td><td>DONE, when all rows appended before are durable</td></tr>
 *   <tr><td>13 SEAL</td><td>checkpoint's id (8); its coverage, as for COMMIT</td><td>as FLUSH</td></tr>
 *   <tr><td>7 COMMIT</td><td>checkpoint's id (8), frontier; not for results</td><td>DONE</td></tr>
 *   <tr><td>8 NEWEST</td><td>not for results</td><td>DONE: time of the newest visible row, µs</td></tr>
 *   <tr><td>11 STORED</td><td>not for results</td><td>FRONTIER: stored log coverage</td></tr>
 *   <tr><td>12 BEGIN_EPOCH</td><td>three frontiers: from, until, begin; not for results</td><td>DONE</td></tr>
 * </table>
 *
 * <table>
 *   <caption>Requests of a writer of flows that writes its files itself</caption>
 *   <tr><th>type</th><th>body</th><th>response</th></tr>
 *   <tr><td>14 DESCRIBE</td><td></td><td>BYTES: whether to send rows (1), description of the table
 *       (the rest)</td></tr>
 *   <tr><td>15 WRITE_FILES</td><td>before BEGIN, whose response is then a FRONTIER: log coverage of
 *       the snapshots</td><td>DONE</td></tr>
 *   <tr><td>5 APPEND</td><td>a block, without rows if DESCRIBE says so</td><td>none</td></tr>
 *   <tr><td>16 STORED_IDS</td><td>ids of texts (8 each), after the block that has these
 *       texts</td><td>BYTES: the ids that are stored</td></tr>
 *   <tr><td>17 END_BUFFER</td><td>part (1), number of the buffer (8)</td><td>none</td></tr>
 *   <tr><td>18 WRITTEN</td><td>number of the buffer (8), its files and sums</td><td>none</td></tr>
 *   <tr><td>19 SEAL_FILES</td><td>as SEAL, after END_BUFFER of all its buffers</td><td>none</td></tr>
 *   <tr><td>20 SYNC</td><td>after WRITTEN of all sealed buffers</td><td>DONE, when they are
 *       durable</td></tr>
 * </table>
 *
 * <table>
 *   <caption>Messages of the store</caption>
 *   <tr><th>type</th><th>body</th><th></th></tr>
 *   <tr><td>65 DONE</td><td>a number (8)</td><td>responses are in the order of the
 *       requests</td></tr>
 *   <tr><td>66 FRONTIER</td><td>frontier</td><td></td></tr>
 *   <tr><td>67 FAILED</td><td>{@link Failure} (1), text</td><td>at any time; the last
 *       message</td></tr>
 *   <tr><td>68 BEAT</td><td></td><td>every {@link #BEAT_MILLIS}, independent of requests</td></tr>
 *   <tr><td>69 BYTES</td><td>see the request</td><td></td></tr>
 * </table>
 *
 * A text is its length (4) and its UTF-8; a frontier is a count (4) and for each partition its
 * number (4) and next offset (8).
 *
 * <p>Appends have no response: TCP's window is the back-pressure, and a failure is reported by the
 * next response or by FAILED. A busy store still sends beats, which distinguishes it from a frozen
 * or disconnected one. A broken connection is never resumed, since unflushed appends may be lost.
 */
final class StoreProtocol {
  static final int VERSION = 8;

  static final int HELLO = 1;
  static final int OPEN = 2;
  static final int REWIND = 3;
  static final int BEGIN = 4;
  static final int APPEND = 5;
  static final int FLUSH = 6;
  static final int COMMIT = 7;
  static final int NEWEST = 8;
  static final int OPEN_RESULTS = 9;
  static final int PART = 10;
  static final int STORED = 11;
  static final int BEGIN_EPOCH = 12;
  static final int SEAL = 13;
  static final int DESCRIBE = 14;
  static final int WRITE_FILES = 15;
  static final int STORED_IDS = 16;
  static final int END_BUFFER = 17;
  static final int WRITTEN = 18;
  static final int SEAL_FILES = 19;
  static final int SYNC = 20;

  static final int DONE = 65;
  static final int FRONTIER = 66;
  static final int FAILED = 67;
  static final int BEAT = 68;
  static final int BYTES = 69;

  static final int HEADER_LENGTH = 5;
  static final int BEAT_MILLIS = 1_000;

  /** After this long without a beat the store counts as lost. */
  static final int SILENCE_MILLIS = 8_000;

  /** Maximum body of a message; a block of some thousand rows takes 0.1 MB. */
  static final int MAX_BYTES = 16 << 20;

  /** Maximum body in parts: a block of some million rows. */
  static final int MAX_BYTES_IN_PARTS = 256 << 20;

  static final int MAX_BYTES_OF_HELLO = 64;

  static final int MAX_BYTES_BEFORE_OPEN = 64 << 10;

  private static final byte[] MAGIC = "millrace".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_TEXT = 8_192;

  /** Why the store closes a connection; encoded as ordinals. */
  enum Failure {
    STORE,
    FENCED,
    /** Incompatible columns; a restart does not help. */
    WRONG_SCHEMA,
    /** Not this protocol, or not this version of it. */
    PROTOCOL
  }

  private StoreProtocol() {}

  static void putHello(StoreSecret secret, BlockBuffer out) {
    out.put(MAGIC, 0, MAGIC.length);
    out.putShort(VERSION);
    out.put(secret.digest(), 0, StoreSecret.LENGTH);
  }

  static int takeHello(BlockInput in) throws ProtocolException {
    for (byte expected : MAGIC) {
      if (in.takeByte() != expected) {
        throw new ProtocolException("not a Millrace writer");
      }
    }
    return in.takeShort();
  }

  /** The peer's proof of the secret; too short if the message ends early. */
  static byte[] takeProof(BlockInput in) {
    byte[] shown = new byte[Math.min(in.remaining(), StoreSecret.LENGTH)];
    System.arraycopy(in.bytes(), in.take(shown.length), shown, 0, shown.length);
    return shown;
  }

  static void putText(String text, BlockBuffer out) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, MAX_TEXT);
    out.putInt(length);
    out.put(bytes, 0, length);
  }

  static String takeText(BlockInput in) throws ProtocolException {
    int length = in.takeInt();
    if (length < 0 || length > MAX_TEXT) {
      throw new ProtocolException(
          "text of " + Integer.toUnsignedString(length) + " bytes, limit " + MAX_TEXT);
    }
    return new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8);
  }

  static void putFrontier(Frontier frontier, BlockBuffer out) {
    out.putInt(frontier.next().size());
    frontier
        .next()
        .forEach(
            (partition, offset) -> {
              out.putInt(partition);
              out.putLong(offset);
            });
  }

  static Frontier takeFrontier(BlockInput in) throws ProtocolException {
    int count = in.takeInt();
    if (count < 0 || count > in.remaining() / (Integer.BYTES + Long.BYTES)) {
      throw new ProtocolException(
          Integer.toUnsignedString(count) + " partitions in " + in.remaining() + " bytes");
    }
    Map<Integer, Long> next = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      next.put(in.takeInt(), in.takeLong());
    }
    return new Frontier(next);
  }

  static void putSchema(FlowSchema schema, BlockBuffer out) {
    out.putInt(schema.joined().size());
    for (FlowSchema.AddedColumn column : schema.joined()) {
      out.putByte(column.kind() == JoinedColumn.Kind.NUMBER ? 0 : 1);
      putText(column.name(), out);
    }
  }

  static FlowSchema takeSchema(BlockInput in) throws ProtocolException {
    int count = in.takeInt();
    if (count < 0 || count > in.remaining() / (Byte.BYTES + Integer.BYTES)) {
      throw new ProtocolException(
          Integer.toUnsignedString(count) + " columns in " + in.remaining() + " bytes");
    }
    List<FlowSchema.AddedColumn> columns = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int kind = in.takeByte();
      if (kind > 1) {
        throw new ProtocolException("unknown column kind " + kind);
      }
      columns.add(
          new FlowSchema.AddedColumn(
              takeText(in), kind == 0 ? JoinedColumn.Kind.NUMBER : JoinedColumn.Kind.TEXT));
    }
    return new FlowSchema(columns);
  }

  static void putSchema(TableSchema schema, BlockBuffer out) {
    out.putInt(schema.size());
    for (TableSchema.Column column : schema.columns()) {
      out.putByte(column.type().ordinal());
      putText(column.name(), out);
    }
  }

  static TableSchema takeResultSchema(BlockInput in) throws ProtocolException {
    int count = in.takeInt();
    if (count < 1 || count > TableSchema.MAX_COLUMNS) {
      throw new ProtocolException(Integer.toUnsignedString(count) + " result columns");
    }
    TableSchema.Type[] types = TableSchema.Type.values();
    List<TableSchema.Column> columns = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int type = in.takeByte();
      if (type >= types.length) {
        throw new ProtocolException("unknown column type " + type);
      }
      columns.add(new TableSchema.Column(takeText(in), types[type]));
    }
    return new TableSchema(columns);
  }

  static void putKey(List<String> key, BlockBuffer out) {
    out.putInt(key.size());
    key.forEach(column -> putText(column, out));
  }

  static List<String> takeKey(BlockInput in) throws ProtocolException {
    int count = in.takeInt();
    if (count < 0 || count > TableSchema.MAX_COLUMNS) {
      throw new ProtocolException(Integer.toUnsignedString(count) + " key columns");
    }
    List<String> key = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      key.add(takeText(in));
    }
    return key;
  }
}
