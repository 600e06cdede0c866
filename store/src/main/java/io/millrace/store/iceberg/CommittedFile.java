package io.millrace.store.iceberg;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.LogPartition;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;

/**
 * A file of the newest snapshot.
 *
 * @param hour in which all its rows arrived, since the epoch
 */
record CommittedFile(String path, FlowPart part, int hour, long bytes, RowExtent extent) {
  static CommittedFile of(StoredFile file) {
    return new CommittedFile(file.path(), file.part(), file.hour(), file.bytes(), file.extent());
  }

  /**
   * The file as listed in a manifest.
   *
   * @param file with statistics of its columns
   */
  static CommittedFile of(DataFile file, Schema schema, TableStorage storage) {
    int ofRecords = schema.findField(FlowColumn.FLOW_START.columnName()).fieldId();
    return new CommittedFile(
        storage.path(file.location()).toString(),
        file.valueCounts().containsKey(ofRecords) ? FlowPart.RECORDS : FlowPart.PACKETS,
        file.partition().get(0, Integer.class),
        file.fileSizeInBytes(),
        extent(file, schema));
  }

  private static RowExtent extent(DataFile file, Schema schema) {
    Map<Integer, ByteBuffer> least = file.lowerBounds();
    Map<Integer, ByteBuffer> greatest = file.upperBounds();
    return new RowExtent(
        file.recordCount(),
        bound(least, schema, FlowColumns.TIME),
        bound(greatest, schema, FlowColumns.TIME),
        (int) bound(least, schema, FlowColumns.LOG_PARTITION),
        (int) bound(greatest, schema, FlowColumns.LOG_PARTITION),
        bound(least, schema, FlowColumns.LOG_OFFSET),
        bound(greatest, schema, FlowColumns.LOG_OFFSET));
  }

  private static long bound(Map<Integer, ByteBuffer> bounds, Schema schema, String column) {
    Types.NestedField field = schema.findField(column);
    Number value = Conversions.fromByteBuffer(field.type(), bounds.get(field.fieldId()));
    return value.longValue();
  }

  long rows() {
    return extent.rows();
  }

  /** Imported files are not merged with others: their positions are those of another log. */
  boolean isImported() {
    return LogPartition.isImported(extent.lastPartition());
  }
}
