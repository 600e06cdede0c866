package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordAttributes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two connections of one client. */
class RecordSocketTest {
  private static final String RECORD =
      "{\"gateway_id\":\"g\",\"date\":1700000000000,\"ipTx\":1,\"ipRx\":2,\"form\":\"counter\"}";

  private final StallingLog log = new StallingLog(1);
  private final RecordSockets sockets = new RecordSockets(Duration.ofHours(1));
  private Ingest ingest;

  @BeforeEach
  void start() throws IOException {
    IngestConfig config = IngestConfig.OFF;
    RecordFormat format = new RecordFormat(GatewayRecords.SCHEMA);
    KnownClients memory = new KnownClients(1, 10);
    IngestCounts counts = new IngestCounts("gateways");
    ingest =
        new Ingest(
            config,
            format,
            new Lanes(
                new IngestMemory(config), format, log, memory, log, config, counts, Runnable::run),
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

  /** Records sent frames. */
  private static final class Wire extends CoreSession.Empty {
    private final List<String> sent = new ArrayList<>();
    private Callback unread; // of the frame that is being written while nobody reads
    private boolean isRead = true;
    private boolean isAborted;

    @Override
    public void sendFrame(Frame frame, Callback callback, boolean batch) {
      synchronized (sent) {
        sent.add(frame.getPayloadAsUTF8());
      }
      if (isRead) {
        callback.succeeded();
      } else {
        assertThat(unread).isNull();
        unread = callback;
      }
    }

    @Override
    public void abort() {
      isAborted = true;
    }

    private String last() {
      synchronized (sent) {
        return sent.get(sent.size() - 1);
      }
    }
  }

  private RecordSocket connect(Wire wire) {
    RecordSocket socket =
        new RecordSocket(
            ingest,
            sockets,
            new RecordSocket.Terms(
                "twice",
                "",
                1,
                new BodyReader(ingest.format(), RecordAttributes.NONE),
                false,
                ingest.tokens().sender(null),
                "sender"));
    socket.onOpen(wire, Callback.NOOP);
    return socket;
  }

  private static void send(RecordSocket socket, String text) {
    socket.onFrame(new Frame(OpCode.TEXT, text), Callback.NOOP);
  }

  /** The server may be processing them when the new connection arrives. */
  @Test
  void invalidFramesOfAReplacedConnectionSettleNoneOfTheNew() {
    log.stall();
    RecordSocket older = connect(new Wire());
    Wire wire = new Wire();
    RecordSocket newer = connect(wire);
    send(newer, RECORD);
    send(older, "wrong");
    send(older, "wrong");
    Await.until("the record to be taken", () -> log.waiting() == 1);
    log.resume();
    Await.until("its acknowledgement", () -> wire.last().contains("ack"));
    assertThat(wire.last()).isEqualTo("{\"ack\":1,\"accepted\":1}");
  }

  private static void ping(RecordSocket socket, String payload) {
    socket.onFrame(new Frame(OpCode.PING, payload), Callback.NOOP);
  }

  /** For a client that pings and does not read, only one pong is queued. */
  @Test
  void onlyTheLastUnansweredPingIsAnswered() {
    Wire wire = new Wire();
    RecordSocket socket = connect(wire);
    wire.isRead = false;
    for (int i = 0; i < 1_000; i++) {
      ping(socket, "ping " + i);
    }
    assertThat(wire.sent).hasSize(2).last().isEqualTo("ping 0"); // after the greeting
    wire.isRead = true;
    wire.unread.succeeded();
    assertThat(wire.sent).hasSize(3).last().isEqualTo("ping 999");
  }

  @Test
  void clientsThatReadNothingAreDisconnected() {
    Wire wire = new Wire();
    RecordSocket socket = connect(wire);
    send(socket, RECORD);
    socket.tick(Long.MAX_VALUE);
    wire.isRead = false;
    ping(socket, "ping");
    socket.tick(Long.MAX_VALUE);
    assertThat(wire.isAborted).isFalse();
    ping(socket, "ping"); // was heard of just now
    socket.tick(0);
    assertThat(wire.isAborted).isTrue();
    assertThat(ingest.counts().rejected(IngestRejection.UNREAD)).isEqualTo(1);
  }

  @Test
  void unreadMessagesCountAgainstTheSendersShare() {
    Wire wire = new Wire();
    RecordSocket socket = connect(wire);
    wire.isRead = false;
    String wrong = "{\"gateway_id\":1}\n".repeat(200);
    for (int i = 0; i < 40; i++) {
      send(socket, wrong);
    }
    assertThat(ingest.lanes().room().waitingBytes()).isGreaterThan(40 * 1_000);
    wire.isRead = true;
    wire.unread.succeeded();
    assertThat(ingest.lanes().room().waitingBytes()).isZero();
    wire.isRead = false;
    wire.unread = null;
    send(socket, wrong);
    socket.onClosed(CloseStatus.NO_CODE_STATUS, Callback.NOOP);
    assertThat(ingest.lanes().room().waitingBytes()).isZero();
  }
}
