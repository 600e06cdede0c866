package io.millrace.server.ingest.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayEncoding;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/**
 * Sends a frame for each batch over a WebSocket. Frames that are not acknowledged are kept; when
 * the connection breaks they are sent again over the next one, with the same numbers, and the
 * server writes those that it has already not a second time.
 */
final class FrameSender implements GatewaySender {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CONNECT_MILLIS = 10_000;
  private static final long RETRY_MILLIS = 200;
  private static final long CLOSE_MILLIS = 10_000;
  private static final int CLIENT_ERROR = 400;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private final SendConfig config;
  private final int opcode;
  private final RecordBatch batch;

  // Guarded by this.
  private final ArrayDeque<Sent> unacknowledged = new ArrayDeque<>();
  private long next = 1;
  private long sent;
  private long accepted;
  private long refused;
  private long attempts;
  private String complaint = "";
  private IOException broken;

  private boolean isReached; // if not, it is not waited for
  private WebSocketClient socket;
  private Thread reader;

  /** A frame that is kept until it is acknowledged. */
  private static final class Sent {
    private final long frame;
    private final byte[] payload;
    private final int records;

    Sent(long frame, byte[] payload, int records) {
      this.frame = frame;
      this.payload = payload;
      this.records = records;
    }
  }

  FrameSender(SendConfig config) {
    this.config = config;
    opcode =
        config.encoding() == GatewayEncoding.JSON ? WebSocketClient.TEXT : WebSocketClient.BINARY;
    batch = new RecordBatch(config.encoding());
  }

  @Override
  public void send(GatewayBlock block, int row) throws IOException, InterruptedException {
    batch.add(block, row);
    if (batch.records() >= config.batch()) {
      write();
    }
  }

  @Override
  public void push() throws IOException, InterruptedException {
    if (batch.records() > 0) {
      write();
    }
    if (socket != null) {
      flush();
    }
  }

  /** Keeps the batch and writes it; the next connection sends what this one lost. */
  private void write() throws IOException, InterruptedException {
    int records = batch.records();
    awaitWindow(config.inFlight() - 1);
    Sent frame;
    synchronized (this) {
      frame = new Sent(next++, batch.take(), records);
      unacknowledged.add(frame);
      sent += records;
    }
    if (socket == null) {
      connect();
      synchronized (this) {
        attempts--; // this frame's was the first
      }
    } else {
      try {
        socket.write(opcode, frame.payload);
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

  /** Waits until no more than so many frames are not acknowledged. */
  private void awaitWindow(int most) throws IOException, InterruptedException {
    while (true) {
      synchronized (this) {
        if (unacknowledged.size() <= most) {
          return;
        }
      }
      if (socket == null) {
        connect();
      }
      flush();
      boolean isBroken;
      synchronized (this) {
        while (unacknowledged.size() > most && broken == null) {
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

  /** Connects, and sends again what is not acknowledged. */
  private void connect() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + config.patience().toNanos();
    while (true) {
      try {
        connectOnce();
        return;
      } catch (IOException e) {
        boolean isFinal =
            e instanceof WebSocketClient.RefusedException refusal
                && refusal.status() >= CLIENT_ERROR
                && refusal.status() < SERVER_ERROR
                && refusal.status() != TOO_MANY;
        if (isFinal || !isReached || System.nanoTime() > deadline) {
          throw e instanceof WebSocketClient.RefusedException refusal
              ? Unreachable.refused(config.url(), refusal.status(), refusal.getMessage())
              : Unreachable.because(config.url(), e);
        }
        disconnect();
        Thread.sleep(RETRY_MILLIS);
      }
    }
  }

  private void connectOnce() throws IOException {
    Sent[] again;
    long first;
    synchronized (this) {
      again = unacknowledged.toArray(new Sent[0]);
      first = again.length == 0 ? next : again[0].frame;
      broken = null;
    }
    String target =
        "/v1/gateways/ws?client="
            + URLEncoder.encode(config.client(), StandardCharsets.UTF_8)
            + "&frame="
            + first;
    WebSocketClient connected = WebSocketClient.connect(config, target, CONNECT_MILLIS);
    socket = connected;
    isReached = true;
    reader = new Thread(() -> readAll(connected), "gateway-acknowledgements");
    reader.setDaemon(true);
    reader.start();
    for (Sent frame : again) {
      connected.write(opcode, frame.payload);
    }
    connected.flush();
    synchronized (this) {
      attempts += again.length;
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
      ended(new IOException("the server ended the connection"));
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
      for (Sent one : unacknowledged) {
        if (one.frame == frame) {
          refused += one.records;
          accepted -= one.records; // its acknowledgement follows
        }
      }
      if (complaint.isEmpty()) {
        complaint = message.path("error").path("message").asText();
      }
    }
  }

  @Override
  public void finish() throws IOException, InterruptedException {
    push();
    awaitWindow(0);
  }

  @Override
  public synchronized Counts counts() {
    return new Counts(sent, accepted, refused, attempts);
  }

  @Override
  public synchronized String complaint() {
    return complaint;
  }

  /** Ends the connection and waits for the server's answer. */
  @Override
  public void close() {
    if (socket == null) {
      return;
    }
    try {
      socket.end();
      reader.join(CLOSE_MILLIS);
    } catch (IOException e) {
      // it has broken before, and what was not acknowledged is not counted as accepted
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    socket.close();
  }
}
