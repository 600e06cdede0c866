package io.millrace.pipelines.voice;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.engine.table.TableTopic;
import io.millrace.pipelines.datasets.LookupTable;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.util.List;

/** Controllers of cells: (location area, cell) → controller. Immutable, thread-safe. */
public final class CellTable {
  private static final LookupTable.Csv CSV =
      new LookupTable.Csv(
          TableSchema.builder().number("area").number("cell").number("controller").build(),
          List.of("area", "cell"));
  private static final int CELL_BITS = 36;

  /** Index of the controller, by area and cell combined to one number. */
  private final KeyTable cells = new KeyTable(KeyGroups.all(), 1, 1);

  private final KeyTable controllers = new KeyTable(KeyGroups.all(), 1, 0);

  private CellTable() {}

  /** Parser of CSV with the columns {@code area}, {@code cell} and {@code controller}. */
  public record Csv() implements TableTopic.Parser<CellTable> {
    private static final long serialVersionUID = 1L;

    @Override
    public CellTable parse(byte[] version) throws IOException {
      TableBlock rows = CSV.parse(version).rows();
      CellTable table = new CellTable();
      for (int row = 0; row < rows.rows(); row++) {
        long area = rows.longs(0)[row];
        long cell = rows.longs(1)[row];
        long controller = rows.longs(2)[row];
        check("area", area, VoiceRecords.MAX_AREA);
        check("cell", cell, VoiceRecords.MAX_CELL);
        check("controller", controller, VoiceRecords.MAX_CONTROLLER);
        long key = area << CELL_BITS | cell;
        int entry = table.cells.entry(Hash.of(key), key);
        table.cells.values(0)[entry] = table.controllers.entry(Hash.of(controller), controller);
      }
      return table;
    }

    private static void check(String column, long value, long max) throws IOException {
      if (value < 0 || value > max) {
        throw new IOException(column + " " + value + " is out of range, expected 0 to " + max);
      }
    }
  }

  long controller(int place) {
    return controllers.key(place, 0);
  }

  /** Index of a cell's controller; −1 if the cell is unknown. */
  int find(long area, long cell) {
    long key = area << CELL_BITS | cell;
    int entry = cells.find(Hash.of(key), key);
    return entry < 0 ? -1 : (int) cells.values(0)[entry];
  }
}
