package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.access.AccessToken;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.HttpServer;
import io.millrace.testing.TestCertificate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecureInstanceTest {
  private static final String TOKEN = "0123456789abcdef";

  @TempDir static Path directory;
  private static TestCertificate identity;

  @BeforeAll
  static void makeCertificate() throws Exception {
    identity = TestCertificate.make(directory, "EC");
  }

  private static HttpServer start(Path certificate, Path key) throws IOException {
    HttpServer server =
        new HttpServer(
                new HttpConfig("127.0.0.1", 0, 2_048)
                    .withToken(AccessToken.of(TOKEN))
                    .withTls(certificate, key))
            .route(
                "GET",
                "/api/v1/ledger",
                exchange -> exchange.respond(Map.of("doctor", "all is well\n")));
    server.start();
    return server;
  }

  @Test
  void clientsWithCertificateAndTokenAreServed() throws IOException {
    for (HttpServer started :
        new HttpServer[] {
          start(identity.certificate(), identity.key()), start(identity.both(), null)
        }) {
      try (HttpServer server = started) {
        assertThat(server.url()).startsWith("https://127.0.0.1:");
        CommandLineRun run =
            CommandLineRun.of(
                "doctor",
                "--url",
                server.url(),
                "--token",
                TOKEN,
                "--cacert",
                identity.certificate().toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("all is well\n");
      }
    }
  }

  @Test
  void clientsWithoutCredentialsSeeWhatIsMissing() throws IOException {
    try (HttpServer server = start(identity.certificate(), identity.key())) {
      CommandLineRun stranger =
          CommandLineRun.of("doctor", "--url", server.url(), "--token", TOKEN);
      assertThat(stranger.status()).isEqualTo(1);
      assertThat(stranger.err()).contains("untrusted").contains("--cacert");
      CommandLineRun wrong =
          CommandLineRun.of(
              "doctor",
              "--url",
              server.url(),
              "--token",
              "wrong" + TOKEN,
              "--cacert",
              identity.certificate().toString());
      assertThat(wrong.status()).isEqualTo(1);
      assertThat(wrong.err()).contains("MILLRACE_TOKEN").doesNotContain(TOKEN);
      CommandLineRun noFile =
          CommandLineRun.of("doctor", "--url", server.url(), "--cacert", directory + "/none.pem");
      assertThat(noFile.err()).contains("cannot read").contains("none.pem");
    }
  }
}
