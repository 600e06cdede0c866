package io.millrace.lab.siege;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Attacks against a server that accepts all connections and rejects all requests. */
@EnabledOnOs(OS.LINUX) // routes all of 127/8 to itself
class AttacksTest {
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final Set<String> heard = ConcurrentHashMap.newKeySet(); // addresses of senders
  private DatagramSocket udp;
  private ServerSocket tcp;
  private ServerSocket open;

  @BeforeEach
  void listen() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    udp = new DatagramSocket(0, loopback);
    tcp = new ServerSocket(0, 500, loopback);
    int blobs = Attacks.number("blobs");
    open = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 66, 0, (byte) blobs}));
    new Thread(this::receive).start();
    new Thread(() -> accept(tcp)).start();
    new Thread(() -> accept(open)).start();
  }

  @AfterEach
  void close() throws IOException {
    udp.close();
    tcp.close();
    open.close();
  }

  private void receive() {
    DatagramPacket packet = new DatagramPacket(new byte[2_048], 2_048);
    try {
      while (true) {
        udp.receive(packet);
        heard.add(packet.getAddress().getHostAddress());
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private void accept(ServerSocket server) {
    try {
      while (true) {
        try (Socket socket = server.accept()) {
          if (socket.getInputStream().read() >= 0) {
            heard.add(socket.getInetAddress().getHostAddress());
          }
          socket
              .getOutputStream()
              .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
          if (server.isClosed()) {
            return;
          }
        }
      }
    } finally {
      assertThat(server.isClosed()).isTrue();
    }
  }

  private Target target() {
    InetSocketAddress address = (InetSocketAddress) udp.getLocalSocketAddress();
    long self = ProcessHandle.current().pid();
    int port = tcp.getLocalPort();
    return new Target(self, address, port, port, port, "own", "relay", "gw-a", 1, 7);
  }

  @ParameterizedTest
  @FieldSource("io.millrace.lab.siege.Attacks#NAMES")
  void eachSenderHasItsOwnAddressAndEnds(String name) throws IOException {
    int number = Attacks.number(name);
    try (Attacker attacker = new Attacker(Attacks.of(name), target(), number)) {
      String own = "127.66.0." + number;
      long deadline = System.nanoTime() + PATIENCE_NANOS;
      while (!heard.contains(own) && System.nanoTime() < deadline) {
        Thread.onSpinWait();
      }
      assertThat(heard).containsExactly(own);
      attacker.close();
      assertThat(attacker.hasEnded()).isTrue();
    }
  }

  @Test
  void bombsAreSmallWhenCompressed() {
    assertThat(new Bombs().bytes()).isLessThan(1_000);
  }

  @Test
  void framesAreMaskedAndHaveTheirDeclaredLength() {
    byte[] frame = new SocketFrames().record();
    int length = (frame[2] & 0xFF) << 8 | (frame[3] & 0xFF);
    assertThat(frame).hasSize(2 + 2 + 4 + length);
    assertThat(frame[1] & 0xFF).isEqualTo(0x80 | 126);
    assertThat(new String(frame, 8, length, StandardCharsets.US_ASCII)).contains(Target.GATEWAY);
  }
}
