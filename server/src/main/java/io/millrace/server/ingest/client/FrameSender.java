package io.millrace.server.ingest.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/**
 * Sends each batch as a WebSocket frame. Unacknowledged frames are kept, and resent with the same
 * numbers after a reconnect, so that the server can deduplicate them. The server assigns the first
 * number, as it may know the client.
 */
final class FrameSender extends BatchSender {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CONNECT_MILLIS = 10_000;
  private static final long RETRY_MILLIS = 200;
  private static final long CLOSE_MILLIS = 10_000;
  private static final int CLIENT_ERROR = 400;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private final int opcode;

  // Guarded by this.
  private final ArrayDeque<SentFrame> unacknowledged = new ArrayDeque<>();
  private long next = 1;
  private IOException broken;

  private boolean isNumbered; // whether the server has assigned the first number
  private boolean isReached; // until the first connection, a failure is final
  private WebSocketClient socket;
  private Thread reader;

  private static final class SentFrame {
    private long frame;
    private final byte[] payload;
    private final int records;

    SentFrame(long frame, byte[] payload, int records) {
      this.frame = frame;
      this.payload = payload;
      this.records = records;
    }
  }

  FrameSender(SendConfig config) {
    super(config);
    opcode =
        config.encoding() == RecordEncoding.JSON ? WebSocketClient.TEXT : WebSocketClient.BINARY;
  }

  @Override
  public void push() throws IOException, InterruptedException {
    super.push();
    if (socket != null) {
      flush();
    }
  }

  @Override
  void write(byte[] payload, int records) throws IOException, InterruptedException {
    synchronized (this) {
      unacknowledged.add(new SentFrame(next++, payload, records));
    }
    if (socket == null) {
      connect();
      synchronized (this) {
        attempts--; // the first connection is not a resend
      }
    } else {
      try {
        socket.write(opcode, payload);
      } catch (IOException e) {
        reconnect();
      }
    }
  }

  private void flush() throws IOException, InterruptedException {
    try {
      socket.flush();
    } catch (IOException e) {
      reconnect();
    }
  }

  @Override
  void awaitOpen(int max) throws IOException, InterruptedException {
    while (true) {
      synchronized (this) {
        if (unacknowledged.size() <= max) {
          return;
        }
      }
      if (socket == null) {
        connect();
      }
      flush();
      boolean isBroken;
      synchronized (this) {
        while (unacknowledged.size() > max && broken == null) {
          wait();
        }
        isBroken = broken != null;
      }
      if (isBroken) {
        reconnect();
      }
    }
  }

  private void reconnect() throws IOException, InterruptedException {
    disconnect();
    connect();
  }

  private void connect() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + config.timeout().toNanos();
    while (true) {
      try {
        connectOnce();
        return;
      } catch (IOException e) {
        boolean isFinal =
            e instanceof WebSocketClient.RejectedException rejection
                && rejection.status() >= CLIENT_ERROR
                && rejection.status() < SERVER_ERROR
                && rejection.status() != TOO_MANY;
        if (isFinal || !isReached || System.nanoTime() > deadline) {
          throw e instanceof WebSocketClient.RejectedException rejection
              ? Unreachable.rejected(config.url(), rejection.status(), rejection.getMessage())
              : Unreachable.because(config.url(), e);
        }
        disconnect();
        Thread.sleep(RETRY_MILLIS);
      }
    }
  }

  private void connectOnce() throws IOException {
    SentFrame[] again;
    long first;
    synchronized (this) {
      again = unacknowledged.toArray(new SentFrame[0]);
      first = again.length == 0 ? next : again[0].frame;
      broken = null;
    }
    String target =
        config.path()
            + "/ws?client="
            + URLEncoder.encode(config.client(), StandardCharsets.UTF_8)
            + (isNumbered ? "&frame=" + first : "")
            + (config.isPartial() ? "&partial=true" : "")
            + (config.attributes().isEmpty() ? "" : "&" + config.attributes());
    WebSocketClient connected = WebSocketClient.connect(config, target, CONNECT_MILLIS);
    if (!isNumbered) {
      number(connected);
    }
    socket = connected;
    isReached = true;
    reader = new Thread(() -> readAll(connected), "acknowledgements");
    reader.setDaemon(true);
    reader.start();
    for (SentFrame frame : again) {
      connected.write(opcode, frame.payload);
    }
    connected.flush();
    synchronized (this) {
      attempts += again.length;
    }
  }

  private void number(WebSocketClient connected) throws IOException {
    try {
      String hello = connected.read();
      if (hello == null) {
        throw new IOException("the server closed the connection");
      }
      long before = JSON.readTree(hello).path("next").asLong(1) - 1;
      synchronized (this) {
        unacknowledged.forEach(sent -> sent.frame += before);
        next += before;
      }
      isNumbered = true;
    } catch (IOException e) {
      connected.close();
      throw e;
    }
  }

  private void disconnect() throws InterruptedException {
    if (socket != null) {
      socket.close();
      reader.join();
      socket = null;
    }
  }

  private void readAll(WebSocketClient connected) {
    try {
      for (String text; (text = connected.read()) != null; ) {
        hear(JSON.readTree(text));
      }
      ended(new IOException("the server closed the connection"));
    } catch (IOException e) {
      ended(e);
    }
  }

  private synchronized void ended(IOException cause) {
    broken = cause;
    notifyAll();
  }

  private synchronized void hear(JsonNode message) {
    if (message.has("ack")) {
      long frame = message.get("ack").asLong();
      while (!unacknowledged.isEmpty() && unacknowledged.peek().frame <= frame) {
        accepted += unacknowledged.poll().records;
      }
      notifyAll();
    } else if (message.has("frame")) {
      long frame = message.get("frame").asLong();
      for (SentFrame one : unacknowledged) {
        if (one.frame == frame) {
          long wrong = message.path("rejected").asLong(one.records);
          rejected += wrong;
          accepted -= wrong; // the acknowledgement of the frame follows
        }
      }
      JsonNode first = message.path("records").path(0);
      recordError(
          first.isMissingNode()
              ? message.path("error").path("message").asText()
              : first.path("field").asText() + ": " + first.path("reason").asText());
    }
  }

  /** Closes the connection and waits for the server's close frame. */
  @Override
  public void close() {
    if (socket == null) {
      return;
    }
    try {
      socket.end();
      reader.join(CLOSE_MILLIS);
    } catch (IOException e) {
      // the connection is broken; unacknowledged records do not count as accepted
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    socket.close();
  }
}
