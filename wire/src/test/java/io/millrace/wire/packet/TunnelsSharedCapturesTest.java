package io.millrace.wire.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Packets in tunnels: the inner IP layer and the tunnel equal those of tshark, packet for packet.
 */
class TunnelsSharedCapturesTest {
  /** Captures in which tshark shows another layer than is claimed here, and the reason. */
  private static final Map<String, String> EXCEPTIONS =
      Map.of(
          "arkime__gre-erspan-vxlan.pcap", "tshark knows VXLAN by its source port too",
          "ndpi__capwap.pcap", "a tunnel that we do not open",
          "zeek__tunnels-ayiya-large-identity.pcap", "a tunnel that we do not open",
          "pcapplusplus__ipsec.pcapng", "authentication headers of IPv4 are a protocol to us",
          "tcpdump__vxlan_port_8472.pcap", "tshark 4.0 does not know Linux' port");

  private final PacketHeaders headers = new PacketHeaders();

  @TestFactory
  Stream<DynamicTest> innermostLayersAreTsharks() throws IOException {
    return SharedCaptures.in("encap").stream()
        .filter(f -> !EXCEPTIONS.containsKey(f.getFileName().toString()))
        .filter(f -> !PacketSharedCapturesTest.isException(f))
        .map(f -> DynamicTest.dynamicTest(f.getFileName().toString(), () -> compareEncap(f)));
  }

  private void compareEncap(Path file) throws IOException {
    List<String> expected = new ArrayList<>();
    List<String> actual = new ArrayList<>();
    List<CaptureFile.Frame> frames = CaptureFile.read(file);
    for (Map<String, String> row : SharedCaptures.rows(file)) {
      CaptureFile.Frame frame = frames.get(Integer.parseInt(row.get("frame")) - 1);
      if (!readOuter(frame) || row.get("innermost_src_ip").isEmpty() || isFragment(frame)) {
        continue;
      }
      expected.add(
          String.join(
              " ",
              row.get("frame"),
              row.get("innermost_src_ip"),
              row.get("innermost_dst_ip"),
              row.get("innermost_ip_proto"),
              row.get("innermost_src_port"),
              row.get("innermost_dst_port")));
      actual.add(read(frame) ? frame.number() + " " + flow() : frame.number() + " -");
    }
    assertSame(actual, expected);
  }

  @TestFactory
  Stream<DynamicTest> tunnelsOfSubscribersAreTsharks() throws IOException {
    return SharedCaptures.in("gtp").stream()
        .map(f -> DynamicTest.dynamicTest(f.getFileName().toString(), () -> compareGtp(f)));
  }

  private void compareGtp(Path file) throws IOException {
    List<String> expected = new ArrayList<>();
    List<String> actual = new ArrayList<>();
    List<CaptureFile.Frame> frames = CaptureFile.read(file);
    for (Map<String, String> row : SharedCaptures.rows(file)) {
      CaptureFile.Frame frame = frames.get(Integer.parseInt(row.get("frame")) - 1);
      if (isFragment(frame)) {
        continue;
      }
      boolean isInside = row.get("gtp_msg_type").equals("0xff") && !row.get("teid").isEmpty();
      expected.add(
          row.get("frame")
              + (isInside
                  ? String.join(
                      " ",
                      "",
                      Long.decode(row.get("teid")).toString(),
                      row.get("inner_src_ip"),
                      row.get("inner_dst_ip"),
                      row.get("inner_ip_proto"),
                      row.get("inner_src_port"),
                      row.get("inner_dst_port"))
                  : ""));
      boolean isTunnel = readOuter(frame) && headers.enter() && headers.tunnel() == Tunnel.GTP_U;
      actual.add(frame.number() + (isTunnel ? " " + headers.tunnelId() + " " + flow() : ""));
    }
    assertSame(actual, expected);
  }

  private static void assertSame(List<String> actual, List<String> expected) {
    List<String> wanted = new ArrayList<>(expected);
    List<String> found = new ArrayList<>(actual);
    wanted.removeAll(actual);
    found.removeAll(expected);
    assertThat(found).as("where they differ").isEqualTo(wanted);
  }

  /** tshark reassembles fragments, and shows the content at the last one. */
  private boolean isFragment(CaptureFile.Frame frame) {
    return readOuter(frame) && headers.isFragment();
  }

  private boolean read(CaptureFile.Frame frame) {
    byte[] bytes = frame.bytes();
    return headers.read(
        IpLayer.INNER, LinkType.of(frame.linkType()), bytes, 0, bytes.length, frame.wireLength());
  }

  private boolean readOuter(CaptureFile.Frame frame) {
    byte[] bytes = frame.bytes();
    return headers.read(LinkType.of(frame.linkType()), bytes, 0, bytes.length, frame.wireLength());
  }

  private String flow() {
    boolean isIcmp = PacketLayout.isIcmp(headers.protocol());
    return String.join(
        " ",
        Addresses.toText(headers.srcHigh(), headers.srcLow()),
        Addresses.toText(headers.dstHigh(), headers.dstLow()),
        text(headers.protocol()),
        isIcmp ? "" : text(headers.srcPort()),
        isIcmp ? "" : text(headers.dstPort()));
  }

  private static String text(int value) {
    return value == FlowBlock.NULL ? "" : Integer.toString(value);
  }
}
