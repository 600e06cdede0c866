package io.millrace.store.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.StoreException;
import io.millrace.wire.block.BlockBuffer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store that accepts a connection and then neither sends nor reads: frozen or disconnected. */
class StoreConnectionTest {
  private static final int SILENCE_MILLIS = 300;

  private ServerSocket frozen;
  private CompletableFuture<Socket> accepted;

  @BeforeEach
  void listen() throws IOException {
    frozen = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    accepted = CompletableFuture.supplyAsync(this::accept);
  }

  private Socket accept() {
    try {
      Socket socket = frozen.accept();
      BlockBuffer done = new BlockBuffer(16);
      done.putInt(Long.BYTES);
      done.putByte(StoreProtocol.DONE);
      done.putLong(StoreProtocol.VERSION);
      socket.getOutputStream().write(done.toBytes());
      return socket;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @AfterEach
  void close() throws IOException {
    accepted.join().close();
    frozen.close();
  }

  private StoreConnection connect() {
    return StoreConnection.open(
        "127.0.0.1",
        frozen.getLocalPort(),
        StoreSecret.NONE,
        Duration.ofSeconds(20),
        SILENCE_MILLIS);
  }

  @Test
  void givesUpWaitingForAResponse() {
    try (StoreConnection connection = connect()) {
      assertThatThrownBy(() -> connection.request(StoreProtocol.FLUSH, new BlockBuffer(1)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("silent");
    }
  }

  @Test
  void givesUpABlockedSend() {
    try (StoreConnection connection = connect()) {
      BlockBuffer megabyte = new BlockBuffer(1 << 20);
      megabyte.put(new byte[1 << 20], 0, 1 << 20);
      assertThatThrownBy(
              () -> {
                while (true) {
                  connection.send(StoreProtocol.APPEND, megabyte);
                }
              })
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("silent");
    }
  }

  @Test
  void anInterruptEndsTheWait() throws InterruptedException {
    try (StoreConnection connection =
        StoreConnection.open(
            "127.0.0.1", frozen.getLocalPort(), StoreSecret.NONE, Duration.ofSeconds(20))) {
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Thread task =
          new Thread(
              () -> {
                try {
                  connection.request(StoreProtocol.FLUSH, new BlockBuffer(1));
                } catch (StoreException e) {
                  thrown.set(e);
                }
              });
      task.start();
      task.interrupt();
      task.join();
      assertThat(thrown.get()).hasMessageContaining("interrupted");
    }
  }
}
