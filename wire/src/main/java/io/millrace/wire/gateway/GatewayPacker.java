package io.millrace.wire.gateway;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.Texts;
import io.millrace.wire.record.KafkaPartitions;
import io.millrace.wire.record.RecordEncoding;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Deals decoded records out over the partitions of the log: for each partition concerned one value,
 * with the records' bytes as they came. Records without bytes of their own (of other versions of
 * the schema, or compressed) are written anew. Not thread-safe: one for each thread.
 */
public final class GatewayPacker {
  /** Takes the values of one request. */
  @FunctionalInterface
  public interface Values {
    /**
     * Takes a value.
     *
     * @param partition where it belongs
     * @param key the gateway's id where all records are of one gateway, and null otherwise
     * @param value a {@link GatewayBatch}; given away
     * @param records in the value
     */
    void take(int partition, byte[] key, byte[] value, int records);
  }

  /**
   * What the records of a request have in common.
   *
   * @param encoding in which they were decoded
   * @param byPath form of records that do not say one
   * @param arrival microseconds since the epoch
   * @param client who numbered the frame; null for nobody
   * @param frame its number
   */
  public record Origin(
      RecordEncoding encoding,
      Optional<GatewayForm> byPath,
      long arrival,
      String client,
      long frame) {
    /** The origin of records without frames. */
    public static Origin of(RecordEncoding encoding, Optional<GatewayForm> byPath, long arrival) {
      return new Origin(encoding, byPath, arrival, null, -1);
    }
  }

  private final int partitions;
  private final GatewayBatch.Writer writer = new GatewayBatch.Writer();
  private final BlockBuffer anew = new BlockBuffer(1 << 10);
  private int[] ofRow = new int[0];

  /**
   * @param partitions of the topic
   */
  public GatewayPacker(int partitions) {
    this.partitions = partitions;
  }

  /**
   * Packs all rows.
   *
   * @param block that was decoded from {@code source}
   */
  public void pack(GatewayBlock block, byte[] source, Origin origin, Values values) {
    int rows = block.rows();
    if (ofRow.length < rows) {
      ofRow = new int[Math.max(rows, 64)];
    }
    Texts ids = block.gateways();
    for (int row = 0; row < rows; row++) {
      ofRow[row] = KafkaPartitions.of(ids.bytes(), ids.start(row), ids.length(row), partitions);
    }
    byte[] client =
        origin.client() == null ? null : origin.client().getBytes(StandardCharsets.UTF_8);
    int left = rows;
    for (int partition = 0; partition < partitions && left > 0; partition++) {
      writer.begin(origin.encoding(), origin.byPath(), origin.arrival(), client, origin.frame());
      int firstRow = -1;
      boolean isOne = true;
      for (int row = 0; row < rows; row++) {
        if (ofRow[row] == partition) {
          add(block, row, source, origin.encoding());
          firstRow = firstRow < 0 ? row : firstRow;
          isOne &= isSame(ids, firstRow, row);
        }
      }
      if (writer.count() > 0) {
        byte[] key = isOne ? copy(ids, firstRow) : null;
        values.take(partition, key, writer.toBytes(), writer.count());
        left -= writer.count();
      }
    }
  }

  private void add(GatewayBlock block, int row, byte[] source, RecordEncoding encoding) {
    int start = block.sourceStart(row);
    if (start != GatewayBlock.NOWHERE) {
      writer.add(source, start, block.sourceEnd(row) - start);
      return;
    }
    anew.clear();
    if (encoding == RecordEncoding.AVRO) {
      GatewayEncoder.datum(block, row, anew);
    } else {
      GatewayEncoder.json(block, row, true, anew);
    }
    writer.add(anew.bytes(), 0, anew.length());
  }

  private static boolean isSame(Texts ids, int a, int b) {
    byte[] bytes = ids.bytes();
    return Arrays.equals(
        bytes,
        ids.start(a),
        ids.start(a) + ids.length(a),
        bytes,
        ids.start(b),
        ids.start(b) + ids.length(b));
  }

  private static byte[] copy(Texts ids, int row) {
    return Arrays.copyOfRange(ids.bytes(), ids.start(row), ids.start(row) + ids.length(row));
  }
}
