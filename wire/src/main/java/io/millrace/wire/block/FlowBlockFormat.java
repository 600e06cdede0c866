package io.millrace.wire.block;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Format of a {@link FlowBlock} after the header of {@link BlockCodec}, version 1.
 *
 * <pre>
 *   0       4           8          16         20
 *   +-------+-----------+----------+----------+---------+---------+--
 *   | rows  | partition | offset   | sections | section | section | …
 *   +-------+-----------+----------+----------+---------+---------+--
 *
 *   section:
 *   0     2        6
 *   +-----+--------+----------------------------------------------------------+
 *   | id  | length | ordinal of a FlowColumn: one {@link Plane}, two for addresses
 *   |     |        | 0x8000 log index: a plane, at least one byte wide
 *   |     |        | 0x8001 joined column: kind, name length, name, base, plane
 *   |     |        | 0x8002 new names: count, plane of ids, plane of lengths, texts
 *   |     |        | 0x8003 counters: exporters, counts of each, plane of keys, plane of counts
 *   +-----+--------+----------------------------------------------------------+
 * </pre>
 *
 * A column that is null in every row has no section, and a column without a section is null in
 * every row: so a newer release reads the blocks of an older one, and an older release skips the
 * columns of a newer one by their length. The log index is in every block and, as each joined
 * column, takes at least one byte a row, so that array sizes are bounded by the input.
 */
final class FlowBlockFormat {
  static final int LOG_INDEX = 0x8000;
  static final int JOINED = 0x8001;
  static final int NAMES = 0x8002;
  static final int COUNTERS = 0x8003;

  private static final int SECTION_HEADER_LENGTH = 6;
  private static final List<FlowColumn> COLUMNS = FlowColumn.ALL;

  private FlowBlockFormat() {}

  static void write(FlowBlock block, BlockBuffer out) {
    int countAt = begin(block, block.rows(), out);
    int sections = 1 + writeColumns(block, out) + writeCompany(block, out);
    out.setInt(countAt, sections);
  }

  /** Writes a block without its rows: position in the log, names and counters. */
  static void writeWithoutRows(FlowBlock block, BlockBuffer out) {
    int countAt = begin(block, 0, out);
    int sections = 1 + writeCompany(block, out);
    out.setInt(countAt, sections);
  }

  /** Writes everything before the columns; returns the position of the number of sections. */
  private static int begin(FlowBlock block, int rows, BlockBuffer out) {
    out.putInt(rows);
    out.putInt(block.logPartition());
    out.putLong(block.logOffset());
    int countAt = out.take(Integer.BYTES);
    int section = open(out, LOG_INDEX);
    Plane.write(out, block.logIndex(), rows, 1);
    close(out, section);
    return countAt;
  }

  private static int writeColumns(FlowBlock block, BlockBuffer out) {
    int rows = block.rows();
    int sections = 0;
    for (int i = 0; i < COLUMNS.size(); i++) {
      FlowColumn column = COLUMNS.get(i);
      if (block.has(column) && !isNull(block, column, rows)) {
        int section = open(out, i);
        writeColumn(block, column, rows, out);
        close(out, section);
        sections++;
      }
    }
    for (JoinedColumn column : block.joined()) {
      int section = open(out, JOINED);
      writeJoined(column, rows, out);
      close(out, section);
      sections++;
    }
    return sections;
  }

  private static int writeCompany(FlowBlock block, BlockBuffer out) {
    int sections = 0;
    if (block.names().size() > 0) {
      int section = open(out, NAMES);
      block.names().write(out);
      close(out, section);
      sections++;
    }
    if (block.counters().size() > 0) {
      int section = open(out, COUNTERS);
      block.counters().write(out);
      close(out, section);
      sections++;
    }
    return sections;
  }

  private static int open(BlockBuffer out, int id) {
    out.putShort(id);
    return out.take(Integer.BYTES);
  }

  private static void close(BlockBuffer out, int section) {
    out.setInt(section, out.length() - section - Integer.BYTES);
  }

  private static boolean isNull(FlowBlock block, FlowColumn column, int rows) {
    if (column.type().isInt()) {
      return Plane.isAll(block.ints(column), rows, FlowBlock.NULL);
    }
    if (column.type().isLong()) {
      return Plane.isAll(block.longs(column), rows, FlowBlock.NULL);
    }
    return Plane.isAll(block.addressHigh(column), rows, Addresses.NULL)
        && Plane.isAll(block.addressLow(column), rows, Addresses.NULL);
  }

  private static void writeColumn(FlowBlock block, FlowColumn column, int rows, BlockBuffer out) {
    if (column.type().isInt()) {
      Plane.write(out, block.ints(column), rows, 0);
    } else if (column.type().isLong()) {
      Plane.write(out, block.longs(column), rows);
    } else {
      Plane.write(out, block.addressHigh(column), rows);
      Plane.write(out, block.addressLow(column), rows);
    }
  }

  private static void writeJoined(JoinedColumn column, int rows, BlockBuffer out) {
    byte[] name = column.name().getBytes(StandardCharsets.UTF_8);
    out.putByte(column.kind() == JoinedColumn.Kind.NUMBER ? 0 : 1);
    out.putInt(name.length);
    out.put(name, 0, name.length);
    out.putLong(column.base());
    Plane.write(out, column.values(), rows, 1);
  }

  static int readRows(BlockInput in) {
    int rows = in.takeInt();
    if (rows < 0 || rows > in.remaining()) {
      throw in.broken(Integer.toUnsignedString(rows) + " rows in " + in.remaining() + " bytes");
    }
    return rows;
  }

  static void read(BlockInput in, int rows, FlowBlock block) {
    block.clear();
    block.rows(rows);
    block.logPosition(in.takeInt(), in.takeLong());
    boolean[] filled = new boolean[COLUMNS.size()];
    boolean indexed = false;
    for (int left = in.takeInt(); left != 0; left--) {
      if (in.remaining() < SECTION_HEADER_LENGTH) {
        throw in.broken(Integer.toUnsignedString(left) + " more sections expected");
      }
      int id = in.takeShort();
      int outer = in.enter(in.takeInt());
      if (id < filled.length) {
        readColumn(in, block, COLUMNS.get(id), rows);
        filled[id] = true;
      } else if (id == LOG_INDEX) {
        if (in.remaining() < rows) {
          throw in.broken("the log index has fewer bytes than rows");
        }
        Plane.read(in, block.logIndex(), rows);
        indexed = true;
      } else if (id == JOINED) {
        block.joined().add(readJoined(in, rows));
      } else if (id == NAMES) {
        block.names().read(in);
      } else if (id == COUNTERS) {
        block.counters().read(in);
      }
      in.leave(outer);
    }
    if (!indexed || in.remaining() != 0) {
      throw in.broken(indexed ? in.remaining() + " excess bytes" : "no log index");
    }
    for (int i = 0; i < filled.length; i++) {
      if (!filled[i]) {
        block.fillNull(COLUMNS.get(i), 0, rows);
      }
    }
  }

  private static void readColumn(BlockInput in, FlowBlock block, FlowColumn column, int rows) {
    if (column.type().isInt()) {
      Plane.read(in, block.ints(column), rows);
    } else if (column.type().isLong()) {
      Plane.read(in, block.longs(column), rows);
    } else {
      Plane.read(in, block.addressHigh(column), rows);
      Plane.read(in, block.addressLow(column), rows);
    }
  }

  private static JoinedColumn readJoined(BlockInput in, int rows) {
    int kind = in.takeByte();
    if (kind > 1) {
      throw in.broken("unknown kind of joined column " + kind);
    }
    int length = in.takeInt();
    String name = new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8);
    long base = in.takeLong();
    if (in.remaining() < rows) {
      throw in.broken("a joined column has fewer bytes than rows");
    }
    int[] values = new int[rows];
    Plane.read(in, values, rows);
    return new JoinedColumn(
        name, kind == 0 ? JoinedColumn.Kind.NUMBER : JoinedColumn.Kind.TEXT, base, values);
  }
}
