package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.KafkaPartitions;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordEncoding;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DecodedRecordsTest {
  private final DecodedRecords decoding = new DecodedRecords(GatewayRecords.SCHEMA);
  private static final String RECORD =
      "{\"gateway_id\":\"g\",\"date\":1700000000000,\"ipTx\":1,\"ipRx\":2,\"form\":\"counter\"}\n";

  private TableBlock decode(String records) {
    byte[] bytes = records.getBytes(StandardCharsets.UTF_8);
    decoding.decode(RecordEncoding.JSON, bytes, 0, bytes.length, RecordAttributes.NONE, 1 << 20);
    return decoding.block();
  }

  /** A rejected body is never distributed over partitions. */
  @Test
  void memoryOfRejectedBodiesIsReleased() {
    TableBlock large = decode(RECORD.repeat(40_000) + "wrong");
    assertThat(large.rows()).isEqualTo(40_000);
    decoding.release();
    TableBlock small = decode(RECORD);
    assertThat(small.rows()).isEqualTo(1);
    assertThat(small).isNotSameAs(large);
    decoding.release();
    assertThat(decode(RECORD)).isSameAs(small);
  }

  /** Sorted by gateway, as in bulk loads: a search per row would take minutes. */
  @Test
  @Timeout(60)
  void assignsEachRowToOnePartition() {
    int each = 100_000;
    StringBuilder sorted = new StringBuilder();
    for (String gateway : new String[] {"a", "b", "c", "d", "e", "f"}) {
      sorted.append(RECORD.replace("\"g\"", '"' + gateway + '"').repeat(each));
    }
    TableBlock block = decode(sorted.toString());
    for (int partitions : new int[] {3, 1, 8}) {
      int[] firsts = decoding.spread(partitions);
      boolean[] seen = new boolean[block.rows()];
      int before = -1;
      for (int i = 0; i < decoding.spreadOver(); i++) {
        assertThat(firsts[i]).isGreaterThan(before);
        before = firsts[i];
        int last = -1;
        for (int row = firsts[i]; row >= 0; row = decoding.next(row)) {
          if (row <= last
              || seen[row]
              || partitionOf(block, row, partitions) != decoding.partition(firsts[i])) {
            throw new AssertionError("row " + row);
          }
          last = row;
          seen[row] = true;
        }
      }
      for (boolean one : seen) {
        if (!one) {
          throw new AssertionError("a row was left out");
        }
      }
    }
    decoding.release();
  }

  private static int partitionOf(TableBlock block, int row, int count) {
    byte[] id = block.texts(GatewayRecords.ID).get(row).getBytes(StandardCharsets.UTF_8);
    return KafkaPartitions.of(id, 0, id.length, count);
  }
}
