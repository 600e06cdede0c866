package io.millrace.wire.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.fuzz.FuzzTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GtpControlTest {
  private static final String V1_REQUEST =
      elements1(
          "10",
          "02"
              + "62021032547698f0" // IMSI 262001234567890 in half bytes, the lower first
              + "03"
              + "62f220"
              + "1234"
              + "05"
              + "10"
              + "0000abcd"
              + "11"
              + "00001111"
              + "1405"
              + "850004"
              + "0a000001"
              + "850004"
              + "0a000002"
              + "860007"
              + "91"
              + "947122334455"
              + "980008"
              + "01"
              + "62f220"
              + "2345"
              + "6789");
  private static final String V1_RESPONSE =
      elements1("11", "0180" + "10000077ee" + "850004" + "0a000009" + "850004" + "0a00000a");
  private static final String V2_REQUEST =
      elements2(
          "20",
          element2("01", "62021032547698f0")
              + element2("4c", "947122334455")
              + element2("56", "18" + "62f220" + "4567" + "62f220" + "00abcdef")
              + element2("57", "8a" + "00001234" + "0a000003")
              + element2(
                  "5d",
                  element2("49", "05")
                      + element2(
                          "57", "c0" + "00005678" + "0a000004" + "20010db8" + "0".repeat(24))));

  private final GtpControl message = new GtpControl();

  private static String elements1(String type, String elements) {
    return "32" + type + length(elements.length() / 2 + 4) + "00000001" + "00420000" + elements;
  }

  private static String elements2(String type, String elements) {
    return "48" + type + length(elements.length() / 2 + 8) + "00000001" + "00004300" + elements;
  }

  private static String element2(String type, String value) {
    return type + length(value.length() / 2) + "00" + value;
  }

  private static String length(int bytes) {
    return "%04x".formatted(bytes);
  }

  private boolean read(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    return message.read(bytes, 0, bytes.length);
  }

  private String tunnels() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < message.tunnels(); i++) {
      all.add(
          Long.toHexString(message.tunnelId(i))
              + "@"
              + Addresses.toText(message.addressHigh(i), message.addressLow(i)));
    }
    return String.join(" ", all);
  }

  private String text() {
    return String.join(
        " ",
        String.valueOf(message.kind()),
        String.valueOf(message.imsi()),
        String.valueOf(message.msisdn()),
        String.valueOf(message.network()),
        message.area() + "/" + message.cell(),
        tunnels());
  }

  @Test
  void readsWhoseTunnelAContextOfVersion1Is() {
    assertThat(read(V1_REQUEST)).isTrue();
    assertThat(text())
        .isEqualTo("CREATE_REQUEST 262001234567890 491722334455 262-02 9029/26505 abcd@10.0.0.2");
    assertThat(message.version()).isEqualTo(1);
    assertThat(message.sequence()).isEqualTo(0x42);
    assertThat(message.isAccepted()).isFalse();
  }

  @Test
  void readsTheAnswersTunnel() {
    assertThat(read(V1_RESPONSE)).isTrue();
    assertThat(text()).isEqualTo("CREATE_RESPONSE null null null -1/-1 77ee@10.0.0.10");
    assertThat(message.isAccepted()).isTrue();
    assertThat(read(V1_RESPONSE.replace("0180", "01c7"))).isTrue();
    assertThat(message.isAccepted()).isFalse();
  }

  @Test
  void readsWhoseTunnelASessionOfVersion2Is() {
    assertThat(read(V2_REQUEST)).isTrue();
    assertThat(text())
        .isEqualTo(
            "CREATE_REQUEST 262001234567890 491722334455 262-02 17767/11259375"
                + " 5678@10.0.0.4 5678@2001:db8::");
    assertThat(message.sequence()).isEqualTo(0x43);
    assertThat(message.tunnelId()).isEqualTo(1);
    assertThat(message.next()).isEqualTo(-1);
  }

  @Test
  void readsTheMessageAfterAnother() {
    String both = V2_REQUEST.replaceFirst("48", "58") + elements2("24", "");
    assertThat(read(both)).isTrue();
    byte[] bytes = HexFormat.of().parseHex(both);
    assertThat(message.read(bytes, message.next(), bytes.length)).isTrue();
    assertThat(message.kind()).isEqualTo(GtpControl.Kind.DELETE_REQUEST);
  }

  @Test
  void reportsWhatPrecedesTheTruncation() {
    byte[] whole = HexFormat.of().parseHex(V1_REQUEST);
    for (int length = 0; length < whole.length; length++) {
      boolean isRead = message.read(Arrays.copyOf(whole, length), 0, length);
      assertThat(isRead).as("%d bytes", length).isEqualTo(length >= 12);
      assertThat(isRead && message.imsi() != null).isEqualTo(length >= 21);
    }
  }

  @Test
  void anyBytesAreReadOrRejected() {
    List<byte[]> seeds =
        List.of(V1_REQUEST, V1_RESPONSE, V2_REQUEST).stream()
            .map(HexFormat.of()::parseHex)
            .toList();
    FuzzTime.run("GtpControlTest", 1, 300_000, random -> mutated(seeds, random));
  }

  private void mutated(List<byte[]> seeds, Random random) {
    byte[] bytes = seeds.get(random.nextInt(seeds.size())).clone();
    for (int i = random.nextInt(6); i > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    int length = random.nextInt(bytes.length + 1);
    if (message.read(Arrays.copyOf(bytes, length), 0, length)) {
      assertThat(message.kind()).isNotNull();
      assertThat(message.tunnels()).isBetween(0, 16);
      assertThat(message.next()).isLessThan(length);
    }
  }

  @Test
  void readsTheMessagesOfRealNetworks() throws IOException {
    PacketHeaders packet = new PacketHeaders();
    List<String> found = new ArrayList<>();
    for (Path file : SharedCaptures.in("gtp")) {
      for (CaptureFile.Frame frame : CaptureFile.read(file)) {
        byte[] bytes = frame.bytes();
        LinkType link = LinkType.of(frame.linkType());
        if (packet.read(link, bytes, 0, bytes.length, frame.wireLength())
            && GtpControl.isControl(packet)
            && message.read(bytes, packet.payload(), packet.end())) {
          found.add(file.getFileName() + " " + frame.number() + " " + text());
        }
      }
    }
    assertThat(found)
        .containsExactly(
            "pcapplusplus__gtpv2-non-zero-cf-flag-instance.pcap 1 UPDATE_REQUEST null null 466-92"
                + " 11800/30303777 ",
            "pcapplusplus__gtpv2-with-teid.pcap 1 UPDATE_REQUEST null null 466-92 11800/30303777"
                + " a430f3e2@111.71.236.67",
            "pcapplusplus__gtpv2.pcapng 1 UPDATE_REQUEST null null 466-92 11800/30303777"
                + " a430f3e2@111.71.236.67",
            "pcapplusplus__gtpv2.pcapng 5 UPDATE_REQUEST null null 466-92 11800/30303777 ",
            "zeek__gtp_control_prime.pcap 3 CREATE_REQUEST 240010123456789 46702123456 null -1/-1"
                + " 1@127.0.0.2",
            "zeek__gtp_control_prime.pcap 4 CREATE_RESPONSE null null null -1/-1 1@127.0.0.1",
            "zeek__gtp_create_pdp_ctx.pcap 2 CREATE_REQUEST 460004100000101 8615221000101 460-06"
                + " 65534/-1 32f02bf9@192.169.100.1",
            "zeek__gtp_create_pdp_ctx.pcap 3 CREATE_RESPONSE null null null -1/-1"
                + " 10000085@10.100.200.49",
            "zeek__pdp_ctx_messages.pcapng 2 CREATE_REQUEST 460004100000101 8615221000101 460-06"
                + " 65534/-1 32f02bf9@192.169.100.1",
            "zeek__pdp_ctx_messages.pcapng 3 CREATE_RESPONSE null null null -1/-1"
                + " 10000085@10.100.200.49",
            "zeek__pdp_ctx_messages.pcapng 7 CREATE_REQUEST 240010123456789 46702123456 null -1/-1"
                + " 1@127.0.0.2",
            "zeek__pdp_ctx_messages.pcapng 8 CREATE_RESPONSE null null null -1/-1 1@127.0.0.1");
  }
}
