package io.millrace.analytics.alerts;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;

/** Trends in all counts as {@link AlertRows#REPORTED}: of keywords, or of keys of flows. */
public final class TrendAlerts implements Analyzer<TableBlock, TableBlock> {
  private final int bucket;
  private final int by;
  private final int key;
  private final int count;
  private final int expectation;
  private final int stage;
  private final int bucketEnd;
  private final String word;
  private final String measure;

  /**
   * An unopened analyzer.
   *
   * @param rows columns of trends
   * @param by column with the type of key; {@link AlertRows#KEYWORD} if there is none
   * @param key column of the key
   * @param measure of the counts
   */
  public TrendAlerts(TableSchema rows, String by, String key, String measure) {
    bucket = rows.indexOf("bucket");
    this.by = rows.indexOf(by);
    this.key = rows.indexOf(key);
    count = rows.indexOf("count");
    expectation = rows.indexOf("expectation");
    stage = rows.indexOf("stage");
    bucketEnd = rows.indexOf("bucket_end");
    word = by;
    this.measure = measure;
  }

  @Override
  public void process(TableBlock trends, Emitter<TableBlock> out) {
    TableBlock reported = new TableBlock(AlertRows.REPORTED, 0);
    for (int row = 0; row < trends.rows(); row++) {
      if (TrendRows.FINAL.equals(trends.texts(stage).get(row))) {
        AlertRows.append(
            new AlertRows.Key(
                trends.longs(bucket)[row],
                trends.longs(bucketEnd)[row],
                AlertKind.TREND.label(),
                by < 0 ? word : trends.texts(by).get(row),
                trends.texts(key).get(row),
                measure,
                trends.longs(count)[row],
                Math.round(trends.doubles(expectation)[row]),
                Double.NaN),
            reported);
      }
    }
    if (reported.rows() > 0) {
      out.emit(reported);
    }
  }
}
