package io.millrace.analytics.app;

import static io.millrace.analytics.flowtable.TestPackets.tcp;
import static io.millrace.analytics.flowtable.TestPackets.text;
import static io.millrace.analytics.flowtable.TestPackets.udp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AppTrackerTest {
  private static final int CLIENT = 0x0A000001;
  private static final int SERVER = 0x5DB8D822;
  private static final int RESOLVER = 0x08080808;
  private static final int DATA = Packet.ACK | 8;
  private static final HexFormat HEX = HexFormat.of();

  private final List<AppFlow> flows = new ArrayList<>();
  private final AppTracker tracker = tracker(AppNames.builtIn());

  private AppTracker tracker(AppNames names) {
    return new AppTracker(FlowTableConfig.defaults(), IpLayer.INNER, names, flows::add);
  }

  private void packet(byte[] packet) {
    tracker.packet(1_000_000, LinkType.RAW_IP, packet, 0, packet.length);
  }

  private AppFlow only() {
    tracker.endAll();
    assertThat(flows).hasSize(1);
    return flows.get(0);
  }

  private static void assertIs(AppFlow flow, String protocol, String app, String by, String name) {
    assertThat(flow.appProtocol()).isEqualTo(protocol);
    assertThat(flow.app()).isEqualTo(app);
    assertThat(flow.evidence().label()).isEqualTo(by);
    assertThat(flow.name()).isEqualTo(name);
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      joined.writeBytes(part);
    }
    return joined.toByteArray();
  }

  private static byte[] u16(int value) {
    return new byte[] {(byte) (value >>> 8), (byte) value};
  }

  private static byte[] sized(byte[] body) {
    return join(u16(body.length), body);
  }

  /** A TLS ClientHello as a handshake message. */
  private static byte[] hello(String name, String... alpn) {
    byte[] host = text(name);
    byte[] names = join(u16(0), sized(sized(join(new byte[] {0}, sized(host)))));
    ByteArrayOutputStream offered = new ByteArrayOutputStream();
    for (String protocol : alpn) {
      offered.write(protocol.length());
      offered.writeBytes(text(protocol));
    }
    byte[] extensions = join(names, u16(16), sized(sized(offered.toByteArray())));
    byte[] body =
        join(
            u16(0x0303),
            new byte[32],
            new byte[] {0},
            sized(u16(0x1301)),
            new byte[] {1, 0},
            sized(extensions));
    return join(new byte[] {1, 0}, sized(body));
  }

  private static byte[] record(byte[] handshake) {
    return join(new byte[] {22, 3, 1}, sized(handshake));
  }

  @Test
  void readsServerNameInTlsClientHello() {
    packet(tcp(CLIENT, 40_000, SERVER, 443, Packet.SYN, 10, new byte[0]));
    packet(tcp(CLIENT, 40_000, SERVER, 443, DATA, 11, record(hello("www.YouTube.com", "h2"))));
    assertIs(only(), "TLS", "YouTube", "tls-sni", "www.youtube.com");
  }

  @Test
  void reassemblesClientHelloFromSegmentsOutOfOrder() {
    byte[] clientHello = record(hello("r4---sn-4g5e.googlevideo.com"));
    packet(tcp(CLIENT, 40_000, SERVER, 8_443, Packet.SYN, 10, new byte[0]));
    byte[] first = java.util.Arrays.copyOf(clientHello, 30);
    byte[] rest = java.util.Arrays.copyOfRange(clientHello, 30, clientHello.length);
    packet(tcp(CLIENT, 40_000, SERVER, 8_443, DATA, 41, rest));
    packet(tcp(CLIENT, 40_000, SERVER, 8_443, DATA, 11, first));
    assertIs(only(), "TLS", "YouTube", "tls-sni", "r4---sn-4g5e.googlevideo.com");
    assertThat(tracker.headBytes()).isZero();
  }

  /**
   * TCP Fast Open (RFC 7413): the first bytes arrive with the SYN, which itself takes a sequence
   * number.
   */
  @Test
  void readsClientHelloThatBeginsInTheSyn() {
    byte[] clientHello = record(hello("www.youtube.com"));
    byte[] first = java.util.Arrays.copyOf(clientHello, 40);
    byte[] rest = java.util.Arrays.copyOfRange(clientHello, 40, clientHello.length);
    packet(tcp(CLIENT, 40_000, SERVER, 443, Packet.SYN, 10, first));
    packet(tcp(SERVER, 443, CLIENT, 40_000, Packet.SYN | Packet.ACK, 90, new byte[0]));
    packet(tcp(CLIENT, 40_000, SERVER, 443, DATA, 51, rest));
    AppFlow flow = only();
    assertIs(flow, "TLS", "YouTube", "tls-sni", "www.youtube.com");
    assertThat(flow.retransmissions()).isZero();
  }

  @Test
  void dataInTheSynMayBeRetransmitted() {
    byte[] clientHello = record(hello("www.youtube.com"));
    byte[] first = java.util.Arrays.copyOf(clientHello, 40);
    packet(tcp(CLIENT, 40_000, SERVER, 443, Packet.SYN, 10, first));
    packet(tcp(SERVER, 443, CLIENT, 40_000, Packet.SYN | Packet.ACK, 90, new byte[0]));
    packet(tcp(CLIENT, 40_000, SERVER, 443, DATA, 11, clientHello));
    assertIs(only(), "TLS", "YouTube", "tls-sni", "www.youtube.com");
  }

  @Test
  void classifiesHttpByHostAndMoreSpecificFields() {
    packet(
        tcp(
            CLIENT,
            40_000,
            SERVER,
            8_000,
            DATA,
            1,
            text("GET / HTTP/1.1\r\nAccept: */*\r\nHost: api.weibo.cn:8000\r\n\r\n")));
    assertIs(only(), "HTTP", "Sina(Weibo)", "http-host", "api.weibo.cn");
  }

  @Test
  void videoInMp4OfHostsThatAreNotKnown() {
    String video = "GET /v/1.mp4 HTTP/1.1\r\nHost: %s\r\n\r\n";
    packet(tcp(CLIENT, 40_000, SERVER, 80, DATA, 1, text(video.formatted("cdn.example"))));
    packet(tcp(CLIENT, 40_001, SERVER, 80, DATA, 1, text(video.formatted("www.netflix.com"))));
    String answer = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n";
    packet(tcp(SERVER, 80, CLIENT, 40_002, DATA, 1, text(answer)));
    tracker.endAll();
    assertThat(flows)
        .extracting(AppFlow::app)
        .containsExactlyInAnyOrder("MpegDash", "NetFlix", "MpegDash");
  }

  @Test
  void dtlsAtThePortsOfGooglesCalls() {
    byte[] record = HEX.parseHex("17fefd" + "0001000000000001" + "0004" + "01020304");
    packet(udp(CLIENT, 40_000, SERVER, 19_305, record));
    packet(udp(CLIENT, 40_001, SERVER, 19_310, record));
    tracker.endAll();
    assertThat(flows).extracting(AppFlow::app).containsExactlyInAnyOrder("GoogleCall", "DTLS");
  }

  @Test
  void flowsAreClassifiedByNamesFromDns() {
    byte[] name = join(new byte[] {3}, text("www"), new byte[] {7}, text("netflix"));
    byte[] question =
        join(name, new byte[] {3}, text("com"), new byte[] {0}, HEX.parseHex("00010001"));
    byte[] head = HEX.parseHex("123481800001000100000000");
    byte[] answer = HEX.parseHex("c00c00010001000000050004" + "5db8d822");
    packet(udp(RESOLVER, 53, CLIENT, 5_000, join(head, question, answer)));
    packet(udp(CLIENT, 5_001, SERVER, 6_000, new byte[] {42, 42, 42}));
    tracker.endAll();
    assertThat(flows).hasSize(2);
    assertIs(flows.get(0), "DNS", "NetFlix", "dns-query", "www.netflix.com");
    assertThat(flows.get(0).serverPort()).isEqualTo(53);
    assertIs(flows.get(1), "Unknown", "NetFlix", "dns-answer", "www.netflix.com");
  }

  @Test
  void quicKeysAreThoseOfTheSpecification() throws Exception {
    // RFC 9001 appendix A.2: the sample of the client's first packet and its mask.
    QuicKeys keys = new QuicKeys(1, HEX.parseHex("8394c8f03e515708"));
    byte[] mask = keys.mask(HEX.parseHex("d1b1c98dd7689fb8ec11d242b123dc9b"), 0);
    assertThat(HEX.formatHex(mask)).startsWith("437b9aec36");
  }

  @Test
  void signaturesThenPorts() {
    packet(tcp(CLIENT, 40_000, SERVER, 2_222, DATA, 1, text("SSH-2.0-OpenSSH_9.2\r\n")));
    packet(tcp(CLIENT, 40_001, SERVER, 22, Packet.SYN, 1, new byte[0]));
    tracker.endAll();
    assertThat(flows).extracting(AppFlow::app).containsOnly("SSH");
    assertThat(flows)
        .extracting(flow -> flow.evidence().label())
        .containsExactlyInAnyOrder("payload", "port");
  }

  @Test
  void mailThatChangesToTls() {
    packet(tcp(SERVER, 25, CLIENT, 40_000, DATA, 1, text("220 mx.example.org ESMTP\r\n")));
    packet(tcp(CLIENT, 40_000, SERVER, 25, DATA, 1, text("EHLO me\r\nSTARTTLS\r\n")));
    packet(tcp(CLIENT, 40_000, SERVER, 25, DATA, 20, record(hello("smtp.gmail.com"))));
    assertIs(only(), "SMTPS", "GMail", "tls-sni", "smtp.gmail.com");
  }

  @Test
  void announcedDataConnectionsOfFtpAreRecognised() {
    packet(tcp(SERVER, 21, CLIENT, 40_000, DATA, 1, text("220 FTP\r\n")));
    packet(
        tcp(SERVER, 21, CLIENT, 40_000, DATA, 10, text("227 Passive (93,184,216,34,195,80)\r\n")));
    packet(tcp(CLIENT, 40_001, SERVER, 50_000, DATA, 1, text("anything at all")));
    tracker.endAll();
    assertThat(flows).extracting(AppFlow::app).contains("FTP_DATA");
  }

  @Test
  void namesOfAFileTakePrecedenceOverBuiltInOnes(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("names.tsv"), "Intranet\tyoutube.com corp.*\n");
    AppNames names = AppNames.withFile(file);
    assertThat(names.app("www.youtube.com")).contains("Intranet");
    assertThat(names.app("a.corp.co.uk")).contains("Intranet");
    assertThat(names.app("corp.example.com")).isEmpty();
    assertThat(names.app("vimeo.com")).contains("Vimeo");
    Files.writeString(file, "\nno tab here\n");
    assertThatThrownBy(() -> AppNames.withFile(file)).hasMessageContaining("names.tsv:2");
  }
}
