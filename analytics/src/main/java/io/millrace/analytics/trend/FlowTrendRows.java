package io.millrace.analytics.trend;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.hitters.ColumnTexts;
import io.millrace.analytics.hitters.HitterKind;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.block.Texts;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts trends of keywords from {@link FlowKeywords}: adds the kind of key, and the key as text.
 */
public final class FlowTrendRows implements Analyzer<TableBlock, TableBlock> {
  /** {@link TrendRows#TRENDS} with the kind of key after the bucket. */
  public static final TableSchema SCHEMA = schema();

  private static final int KEYWORD = TrendRows.TRENDS.indexOf("keyword");
  private static final int KIND = SCHEMA.indexOf("key_kind");
  private static final int KEY = SCHEMA.indexOf("key");

  private static final int[] COLUMNS =
      SCHEMA.columns().stream().mapToInt(c -> TrendRows.TRENDS.indexOf(c.name())).toArray();

  private final ColumnTexts texts;

  /**
   * An unopened analyzer.
   *
   * @param texts of the columns that have them; the analyzer closes them
   */
  public FlowTrendRows(ColumnTexts texts) {
    this.texts = texts;
  }

  private static TableSchema schema() {
    List<TableSchema.Column> columns = new ArrayList<>(TrendRows.TRENDS.columns());
    columns.remove(1);
    columns.add(1, new TableSchema.Column("key_kind", TableSchema.Type.TEXT));
    columns.add(2, new TableSchema.Column("key", TableSchema.Type.TEXT));
    return new TableSchema(columns);
  }

  @Override
  public void process(TableBlock trends, Emitter<TableBlock> out) {
    TableBlock rows = trends.as(SCHEMA, COLUMNS);
    Texts keywords = trends.texts(KEYWORD);
    for (int row = 0; row < trends.rows(); row++) {
      int start = keywords.start(row);
      int length = keywords.length(row);
      String kind = FlowKeywords.kind(keywords.bytes(), start, length);
      rows.texts(KIND).add(kind);
      rows.texts(KEY)
          .add(
              HitterKind.parse(kind)
                  .text(FlowKeywords.key(keywords.bytes(), start, length), texts));
    }
    out.emit(rows);
  }

  @Override
  public void close() {
    texts.close();
  }
}
