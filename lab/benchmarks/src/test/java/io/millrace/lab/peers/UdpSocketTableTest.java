package io.millrace.lab.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class UdpSocketTableTest {
  private static final List<String> TABLE =
      List.of(
          "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid"
              + "  timeout inode ref pointer drops            ",
          "16218: 0100007F:752C 00000000:0000 07 00000000:00000A00 00:00000000 00000000     0"
              + "        0 289367 2 00000000c106a721 17        ");

  @Test
  void findsASocketByItsPortWithItsQueueAndDrops() {
    assertThat(UdpSocketTable.find(TABLE, 0x752C)).contains(new UdpSocketTable.Socket(0xA00, 17));
  }

  @Test
  void doesNotFindAnUnboundPort() {
    assertThat(UdpSocketTable.find(TABLE, 0x752D)).isEmpty();
  }
}
