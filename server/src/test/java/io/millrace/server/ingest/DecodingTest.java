package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayEncoding;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DecodingTest {
  private static final String RECORD =
      "{\"gateway_id\":\"g\",\"date\":1700000000000,\"ipTx\":1,\"ipRx\":2,\"form\":\"counter\"}\n";

  private static GatewayBlock decode(String records) {
    byte[] bytes = records.getBytes(StandardCharsets.UTF_8);
    Decoding decoding = Decoding.ofThread();
    decoding.decode(RecordKind.of(GatewayEncoding.JSON, Optional.empty()), bytes, 0, bytes.length, 1 << 20);
    return decoding.block();
  }

  /** It is never spread over partitions. */
  @Test
  void theMemoryOfALargeBodyThatIsRefusedIsNotKept() {
    GatewayBlock large = decode(RECORD.repeat(40_000) + "wrong");
    assertThat(large.rows()).isEqualTo(40_000);
    Decoding.ofThread().release();
    GatewayBlock small = decode(RECORD);
    assertThat(small.rows()).isEqualTo(1);
    assertThat(small).isNotSameAs(large);
    Decoding.ofThread().release();
    assertThat(decode(RECORD)).isSameAs(small);
  }
}
