package io.millrace.lab.records;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema;
import java.util.ArrayList;
import java.util.List;

/** Records of a stream in their order, in blocks as the first step of a job emits them. */
public final class RecordBlocks implements RecordTarget {
  private final RecordSchema schema;
  private final int rows;
  private TableBlock block;
  private List<TableBlock> blocks = new ArrayList<>();
  private long place;

  /**
   * Creates an empty list of blocks.
   *
   * @param rows maximum rows per block
   */
  public RecordBlocks(RecordSchema schema, int rows) {
    this.schema = schema;
    this.rows = rows;
    block = newBlock();
  }

  private TableBlock newBlock() {
    return new TableBlock(schema.columnsWithPlace(), rows);
  }

  @Override
  public TableBlock block(long key) {
    return block;
  }

  @Override
  public void add(long key) {
    int row = block.rows();
    int columns = block.schema().size();
    block.longs(columns - 3)[row] = 0;
    block.longs(columns - 2)[row] = place++;
    block.longs(columns - 1)[row] = 0;
    block.rows(row + 1);
    if (row + 1 == rows) {
      blocks.add(block);
      block = newBlock();
    }
  }

  /** Returns the records since the previous call; the last block may be empty. */
  List<TableBlock> take() {
    blocks.add(block);
    List<TableBlock> taken = blocks;
    block = newBlock();
    blocks = new ArrayList<>();
    return taken;
  }
}
