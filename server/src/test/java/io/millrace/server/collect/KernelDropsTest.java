package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelDropsTest {
  private static final String HEAD =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid"
          + "  timeout inode ref pointer drops             \n";
  private static final String REST =
      " 07 00000000:00000000 00:00000000 00000000     0        0 22446 2 0000000000000000 ";

  @TempDir Path dir;

  @BeforeEach
  void requiresALittleEndianMachine() {
    Assumptions.assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void readsTheDropsOfTheSocketThatIsBoundToTheAddress() throws IOException {
    KernelDrops drops =
        drops(
            " 67: 0100007F:18C7 00000000:0000"
                + REST
                + "12\n"
                + " 68: 0200007F:18C7 00000000:0000"
                + REST
                + "99\n"
                + " 69: 0100007F:18C8 00000000:0000"
                + REST
                + "98\n",
            "");
    assertThat(drops.read(address("127.0.0.1"))).hasValue(12);
    assertThat(drops.read(address("127.0.0.3"))).isEmpty();
  }

  @Test
  void readsTheDropsOfASocketForBothFamilies() throws IOException {
    String zero = "00000000000000000000000000000000";
    KernelDrops drops = drops("", " 67: " + zero + ":18C7 " + zero + ":0000" + REST + "5\n");
    assertThat(drops.read(address("::"))).hasValue(5);
    assertThat(drops.read(address("0.0.0.0"))).hasValue(5);
  }

  @Test
  void readsTheDropsOfAnIpv6Address() throws IOException {
    KernelDrops drops =
        drops("", " 67: B80D0120000000000000000001000000:18C7 0:0000" + REST + "6\n");
    assertThat(drops.read(address("2001:db8::1"))).hasValue(6);
  }

  @Test
  void hasNoCountersWithoutTheTable() throws IOException {
    KernelDrops drops = new KernelDrops(List.of(dir.resolve("none")));
    assertThat(drops.read(address("127.0.0.1"))).isEmpty();
  }

  private static InetSocketAddress address(String text) throws IOException {
    return new InetSocketAddress(InetAddress.getAllByName(text)[0], 6343);
  }

  private KernelDrops drops(String udp, String udp6) throws IOException {
    return new KernelDrops(
        List.of(
            Files.writeString(dir.resolve("udp"), HEAD + udp),
            Files.writeString(dir.resolve("udp6"), HEAD + udp6)));
  }
}
