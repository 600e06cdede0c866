package io.millrace.lab.siege;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Measurements of this process. */
@EnabledOnOs(OS.LINUX)
class ProcTest {
  private static final byte[] ELSEWHERE = {127, 66, 0, 99};
  private static final int DATAGRAMS = 200;

  private final Proc own = new Proc(ProcessHandle.current().pid());

  @Test
  void distinguishesListenersBeyondLoopback() throws Exception {
    try (ServerSocket shut = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket open = new ServerSocket(0, 1, InetAddress.getByAddress(ELSEWHERE))) {
      assertThat(own.listeners())
          .contains(
              new Proc.Listener(shut.getLocalPort(), false),
              new Proc.Listener(open.getLocalPort(), true));
    }
  }

  @Test
  void theKernelDropsDatagramsBeyondTheSocketBuffer() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (DatagramSocket full = new DatagramSocket(0, loopback);
        DatagramSocket sender = new DatagramSocket(0, loopback)) {
      full.setReceiveBufferSize(4_096);
      for (int i = 0; i < DATAGRAMS; i++) {
        sender.send(new DatagramPacket(new byte[1_000], 1_000, loopback, full.getLocalPort()));
      }
      long kept = kept(full);
      assertThat(kept).isBetween(1L, DATAGRAMS - 1L);
      assertThat(own.kernelDrops(full.getLocalPort())).isEqualTo(DATAGRAMS - kept);
    }
  }

  private static long kept(DatagramSocket socket) throws Exception {
    socket.setSoTimeout(1);
    DatagramPacket packet = new DatagramPacket(new byte[1_000], 1_000);
    for (long kept = 0; ; kept++) {
      try {
        socket.receive(packet);
      } catch (java.net.SocketTimeoutException | SocketException e) {
        return kept;
      }
    }
  }

  @Test
  void reportsUsedProcessorTime() {
    double before = own.cpuSeconds();
    Await.until("more processor time", () -> own.cpuSeconds() > before);
    assertThat(new Proc(Long.MAX_VALUE).cpuSeconds()).isZero();
  }

  @Test
  void anEndedProcessUsesNoMemory() throws Exception {
    assertThat(own.residentMib()).isPositive();
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    assertThat(new Proc(ended.pid()).residentMib()).isZero();
  }
}
