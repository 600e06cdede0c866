package io.millrace.wire.block;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Format of a {@link TableBlock} after the header of {@link BlockCodec}, version 1.
 *
 * <pre>
 *   0       4         6
 *   +-------+---------+--------+--------+--   --+--------+--------+--
 *   | rows  | columns | column | column | …     | values | values | …
 *   +-------+---------+--------+--------+--   --+--------+--------+--
 *
 *   column: type (1 byte), length of the name (1), name
 *   values: one {@link Plane}, two for addresses; {@link Texts}; fractions as planes of their bits
 * </pre>
 *
 * The first plane of each column is at least one byte wide, so that array sizes are bounded by the
 * input.
 */
final class TableBlockFormat {
  static final BlockFamily<TableBlock> FAMILY =
      new BlockFamily<>(
          3, "table-block", TableBlock.class, TableBlockFormat::write, TableBlockFormat::read);

  private TableBlockFormat() {}

  static void write(TableBlock block, BlockBuffer out) {
    List<TableSchema.Column> columns = block.schema().columns();
    out.putInt(block.rows());
    out.putShort(columns.size());
    for (TableSchema.Column column : columns) {
      byte[] name = column.name().getBytes(StandardCharsets.US_ASCII);
      out.putByte(column.type().ordinal());
      out.putByte(name.length);
      out.put(name, 0, name.length);
    }
    for (int i = 0; i < columns.size(); i++) {
      block.write(out, i);
    }
  }

  static TableBlock read(BlockInput in) {
    int rows = in.takeInt();
    if (rows < 0 || rows > in.remaining()) {
      throw in.broken(Integer.toUnsignedString(rows) + " rows in " + in.remaining() + " bytes");
    }
    TableBlock block = TableBlock.toRead(readSchema(in), rows);
    for (int i = 0; i < block.schema().size(); i++) {
      block.read(in, i);
    }
    if (in.remaining() != 0) {
      throw in.broken(in.remaining() + " excess bytes");
    }
    return block;
  }

  private static TableSchema readSchema(BlockInput in) {
    int count = in.takeShort();
    List<TableSchema.Column> columns = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        int type = in.takeByte();
        if (type >= TableSchema.Type.ALL.size()) {
          throw in.broken("unknown column type " + type);
        }
        int length = in.takeByte();
        String name = new String(in.bytes(), in.take(length), length, StandardCharsets.US_ASCII);
        columns.add(new TableSchema.Column(name, TableSchema.Type.ALL.get(type)));
      }
      return new TableSchema(columns);
    } catch (IllegalArgumentException e) {
      throw in.broken(e.getMessage());
    }
  }
}
