package io.millrace.wire.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.message.Joins;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumns;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowJsonEncoderTest {
  private static String encode(OutputColumns columns) {
    FlowJsonEncoder encoder = new FlowJsonEncoder(columns);
    MessageBuffer out = new MessageBuffer();
    encoder.begin(Joins.block(), Joins.texts());
    encoder.encode(0, 2, out);
    return out.toString();
  }

  @Test
  void aRowIsAnObjectAndALineOfTheColumnsThatHaveAValue() {
    assertThat(encode(OutputColumns.all(Joins.JOINED)))
        .isEqualTo(
            "{\"time\":1700000000000001,\"src_addr\":\"192.0.2.1\",\"dst_addr\":\"2001:db8::1\","
                + "\"src_port\":0,\"bytes\":1099511627776,\"src_mac\":\"0a:0b:0c:0d:0e:0f\","
                + "\"src_as\":4294967294,\"src_dns\":\"a\\\"b\\\\c\\u0001\u00fc.example\","
                + "\"log_partition\":3,\"log_offset\":8589934592,\"log_index\":0}\n"
                + "{\"time\":2,\"log_partition\":3,\"log_offset\":8589934592,\"log_index\":1}\n");
  }

  @Test
  void aRowWithoutAnyValueIsAnEmptyObject() {
    assertThat(encode(OutputColumns.all(Joins.JOINED).select(List.of("src_dns", "src_addr"))))
        .isEqualTo(
            "{\"src_dns\":\"a\\\"b\\\\c\\u0001\u00fc.example\",\"src_addr\":\"192.0.2.1\"}\n{}\n");
  }
}
