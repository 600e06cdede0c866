package io.millrace.wire.avro;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.message.Joins;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumns;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowAvroEncoderTest {
  private static final OutputColumns COLUMNS =
      OutputColumns.all(Joins.JOINED)
          .select(List.of("time", "src_addr", "src_port", "src_as", "src_dns", "log_index"));

  /** The specification's own examples. */
  @Test
  void fingerprintsAreThoseOfTheSpecification() {
    assertThat(FlowAvroSchema.fingerprint("\"null\"")).isEqualTo(7195948357588979594L);
    assertThat(FlowAvroSchema.fingerprint("\"int\"")).isEqualTo(8247732601305521295L);
  }

  @Test
  void theCanonicalFormHasNamesAndTypesOnly() {
    assertThat(new FlowAvroSchema(COLUMNS).canonical())
        .isEqualTo(
            "{\"name\":\"io.millrace.Flow\",\"type\":\"record\",\"fields\":["
                + "{\"name\":\"time\",\"type\":\"long\"},"
                + "{\"name\":\"src_addr\",\"type\":[\"null\",\"string\"]},"
                + "{\"name\":\"src_port\",\"type\":[\"null\",\"int\"]},"
                + "{\"name\":\"src_as\",\"type\":[\"null\",\"long\"]},"
                + "{\"name\":\"src_dns\",\"type\":[\"null\",\"string\"]},"
                + "{\"name\":\"log_index\",\"type\":\"long\"}]}");
  }

  @Test
  void aRowIsMarkerFingerprintAndFields() {
    FlowAvroEncoder encoder = new FlowAvroEncoder(COLUMNS);
    MessageBuffer out = new MessageBuffer();
    encoder.begin(Joins.block(), Joins.texts());
    encoder.encode(0, 1, out);
    long fingerprint = new FlowAvroSchema(COLUMNS).fingerprint();
    HexFormat hex = HexFormat.of();
    String name = hex.formatHex(Joins.NAME.getBytes(StandardCharsets.UTF_8));
    assertThat(hex.formatHex(out.toBytes()))
        .isEqualTo(
            "c301"
                + hex.toHexDigits(Long.reverseBytes(fingerprint))
                + "8280f28183898506"
                + "0212"
                + hex.formatHex("192.0.2.1".getBytes(StandardCharsets.US_ASCII))
                + "0200"
                + "02fcffffff1f"
                + "02"
                + hex.toHexDigits((byte) name.length())
                + name
                + "00");
    out.length(0);
    encoder.encode(1, 2, out);
    assertThat(hex.formatHex(out.toBytes())).endsWith("04" + "00" + "00" + "00" + "00" + "02");
  }
}
