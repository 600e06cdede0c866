package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What two connections of one client have to do with each other. */
class GatewaySocketTest {
  private static final String RECORD =
      "{\"gateway_id\":\"g\",\"date\":1700000000000,\"ipTx\":1,\"ipRx\":2,\"form\":\"counter\"}";

  private final StallingLog log = new StallingLog(1);
  private final GatewaySockets sockets = new GatewaySockets(Duration.ofHours(1));
  private Ingest ingest;

  @BeforeEach
  void start() throws IOException {
    IngestConfig config = IngestConfig.OFF;
    FrameMemory memory = new FrameMemory(1, 10);
    IngestCounts counts = new IngestCounts();
    ingest =
        new Ingest(
            config,
            new Lanes(log, memory, log, config, counts, Runnable::run),
            memory,
            IngestTokens.read(config),
            new RateLimit(0, System::nanoTime),
            counts);
    ingest.lanes().start();
  }

  @AfterEach
  void stop() {
    ingest.lanes().close();
    sockets.close();
  }

  /** Keeps what it is told to send. */
  private static final class Wire extends CoreSession.Empty {
    private final List<String> sent = new ArrayList<>();

    @Override
    public void sendFrame(Frame frame, Callback callback, boolean batch) {
      synchronized (sent) {
        sent.add(frame.getPayloadAsUTF8());
      }
      callback.succeeded();
    }

    private String last() {
      synchronized (sent) {
        return sent.get(sent.size() - 1);
      }
    }
  }

  private GatewaySocket connect(Wire wire) {
    GatewaySocket socket =
        new GatewaySocket(
            ingest,
            sockets,
            new GatewaySocket.Terms(
                "twice", "", 1, Optional.empty(), false, ingest.tokens().sender(null), "sender"));
    socket.onOpen(wire, Callback.NOOP);
    return socket;
  }

  private static void send(GatewaySocket socket, String text) {
    socket.onFrame(new Frame(OpCode.TEXT, text), Callback.NOOP);
  }

  /** They may be on their way through the server when the newer connection comes. */
  @Test
  void wrongFramesOfTheOlderConnectionSettleNoneOfTheNewer() {
    log.stall();
    GatewaySocket older = connect(new Wire());
    Wire wire = new Wire();
    GatewaySocket newer = connect(wire);
    send(newer, RECORD);
    send(older, "wrong");
    send(older, "wrong");
    Await.until("the record to be taken", () -> log.waiting() == 1);
    log.resume();
    Await.until("its acknowledgement", () -> wire.last().contains("ack"));
    assertThat(wire.last()).isEqualTo("{\"ack\":1,\"accepted\":1}");
  }
}
