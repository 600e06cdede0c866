package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.access.AccessToken;
import io.millrace.server.ingest.client.RecordSender;
import io.millrace.server.ingest.client.SendConfig;
import io.millrace.server.ingest.client.SendConfig.Protocol;
import io.millrace.testing.TestCertificate;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS connections and authorization. */
class IngestTlsTest {
  private static final String TOKEN = "secret-of-all";

  @TempDir static Path dir;
  private static TestCertificate identity;

  private final StallingLog log = new StallingLog(2);
  private IngestServer server;

  @BeforeAll
  static void makeCertificate() throws Exception {
    identity = TestCertificate.make(dir, "EC");
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private void start(Path certificate, Path key) throws IOException {
    server =
        IngestLog.server(
            IngestLog.config().withTokens(AccessToken.of(TOKEN), null).withTls(certificate, key),
            log,
            dir.resolve("frames"));
    server.start();
  }

  private void send(Protocol protocol, String token, Optional<SSLContext> tls) throws Exception {
    SendConfig config =
        new SendConfig(
            URI.create(server.url()),
            protocol,
            RecordEncoding.AVRO,
            10,
            100,
            "client",
            Optional.of(token),
            tls,
            Duration.ofSeconds(30));
    try (RecordSender sender = RecordSender.of(config)) {
      for (int row = 0; row < 100; row++) {
        sender.send(SentRecords.block(100), row);
      }
      sender.finish();
      assertThat(sender.counts().accepted()).isEqualTo(100);
    }
  }

  @ParameterizedTest
  @EnumSource
  void clientsWithCertificateAndTokenAreAccepted(Protocol protocol) throws Exception {
    start(identity.certificate(), identity.key());
    assertThat(server.url()).startsWith("https://127.0.0.1:");
    send(protocol, TOKEN, Optional.of(identity.trusting()));
    assertThat(SentRecords.of(log)).containsExactlyElementsOf(SentRecords.expected(100));
  }

  @ParameterizedTest
  @EnumSource
  void otherClientsGetTheReason(Protocol protocol) throws Exception {
    start(identity.both(), null);
    assertThatThrownBy(() -> send(protocol, TOKEN, Optional.empty()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot send to " + server.url())
        .hasMessageContaining("not trusted")
        .hasMessageContaining("--cacert");
    assertThatThrownBy(() -> send(protocol, "wrong", Optional.of(identity.trusting())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("status 401")
        .hasMessageContaining("Authorization: Bearer TOKEN");
    assertThat(log.records()).isZero();
  }

  @Test
  void invalidFilesAreReported() throws Exception {
    Path nothing = Files.writeString(dir.resolve("nothing.pem"), "nothing\n");
    assertThatThrownBy(() -> start(nothing, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(nothing.toString())
        .hasMessageContaining("certificate");
    assertThatThrownBy(() -> start(dir.resolve("none.pem"), null))
        .hasMessageContaining("cannot read");
    assertThatThrownBy(() -> start(null, nothing)).hasMessageContaining("ingest.tls-key");
  }
}
