package io.millrace.wire.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KafkaPartitionsTest {
  /** Kafka's own test vectors (UtilsTest). */
  private static final Map<String, Integer> KAFKAS =
      Map.of(
          "21", -973932308,
          "foobar", -790332482,
          "a-little-bit-long-string", -985981536,
          "a-little-bit-longer-string", -1486304829,
          "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971,
          "abc", 479470107);

  @Test
  void hashesAsKafkaDoes() {
    KAFKAS.forEach(
        (text, hash) -> {
          byte[] bytes = ("x" + text).getBytes(StandardCharsets.US_ASCII);
          assertThat(KafkaPartitions.murmur2(bytes, 1, bytes.length - 1)).isEqualTo(hash);
          assertThat(KafkaPartitions.of(bytes, 1, bytes.length - 1, 7))
              .isEqualTo((hash & 0x7FFFFFFF) % 7);
        });
  }
}
