package io.millrace.analytics.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class SignatureTest {
  private static AppFlow flow(String hex, int port) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    Payload payload = new Payload().wrap(bytes, 0, bytes.length);
    payload.destinationPort = port;
    AppFlow flow = new AppFlow();
    new CoapDissector().dissect(flow, payload);
    return flow;
  }

  @Test
  void aLineWithLittleEvidenceIsRejected() {
    assertThatThrownBy(() -> Signature.parse("X tcp 0:ff u8@1>=0x80", 0))
        .hasMessage("9 bits of evidence, expected at least 24: X tcp 0:ff u8@1>=0x80");
    assertThatThrownBy(() -> Signature.parse("X udp port=7 len>=4", 0))
        .hasMessageContaining("0 bits of evidence, expected at least 16");
    assertThatThrownBy(() -> Signature.parse("X tcp 0:ff times=9", 0))
        .hasMessageContaining("8 bits");
    assertThat(Signature.parse("X udp 0:ffff port=7", 0).app).isEqualTo("X");
    assertThat(Signature.parse("X udp 0:ff times=3", 0).times).isEqualTo(3);
    assertThat(Signature.parse("X any u32@0=len", 0).app).isEqualTo("X");
  }

  @Test
  void rangesOfOneNumberAreCountedTogether() {
    assertThatThrownBy(() -> Signature.parse("X udp u8@0>=0x10 u8@0<=0x11 port=7", 0))
        .hasMessageContaining("7 bits");
  }

  @Test
  void messagesOfCoapHaveOptionsThatFit() {
    String get = "4001" + "7d34" + "bb" + "2e77656c6c2d6b6e6f776e".substring(0, 22);
    assertThat(flow(get, 5683).app()).isEqualTo("COAP");
    assertThat(flow(get, 5000).isUnknown()).isTrue();
    assertThat(flow(get.substring(0, get.length() - 2), 5683).isUnknown()).isTrue();
    assertThat(flow("6045" + "7d34" + "ff31", 5683).app()).isEqualTo("COAP");
    assertThat(flow("40000001", 5683).app()).isEqualTo("COAP");
    assertThat(flow("4000000100", 5683).isUnknown()).isTrue();
  }
}
