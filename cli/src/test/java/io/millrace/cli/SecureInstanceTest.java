package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.ChildProcess;
import io.millrace.server.access.AccessToken;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.api.HttpServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands against an instance with a token and TLS. */
class SecureInstanceTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final char[] PASSWORD = "password".toCharArray();

  @TempDir static Path directory;
  private static Path certificate;
  private static Path key;

  /** By the JDK's own tool, so that no key stands in the repository. */
  @BeforeAll
  static void makeCertificate() throws Exception {
    Path store = directory.resolve("store.p12");
    ChildProcess.check(
        ChildProcess.jdk("keytool"),
        "-genkeypair",
        "-keystore",
        store.toString(),
        "-storetype",
        "PKCS12",
        "-storepass",
        new String(PASSWORD),
        "-alias",
        "instance",
        "-keyalg",
        "EC",
        "-dname",
        "CN=localhost",
        "-ext",
        "san=ip:127.0.0.1",
        "-validity",
        "2");
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
    certificate =
        pem("certificate.pem", "CERTIFICATE", keys.getCertificate("instance").getEncoded());
    key = pem("key.pem", "PRIVATE KEY", keys.getKey("instance", PASSWORD).getEncoded());
  }

  private static Path pem(String file, String what, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return Files.writeString(
        directory.resolve(file),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, text, what));
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
                exchange -> exchange.answer(Map.of("doctor", "all is well\n")));
    server.start();
    return server;
  }

  @Test
  void whoTrustsTheCertificateAndShowsTheTokenIsAnswered() throws IOException {
    Path both = directory.resolve("both.pem");
    Files.writeString(both, Files.readString(key) + Files.readString(certificate));
    for (HttpServer started : new HttpServer[] {start(certificate, key), start(both, null)}) {
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
                certificate.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("all is well\n");
      }
    }
  }

  @Test
  void othersAreToldWhatIsMissing() throws IOException {
    try (HttpServer server = start(certificate, key)) {
      CommandLineRun stranger =
          CommandLineRun.of("doctor", "--url", server.url(), "--token", TOKEN);
      assertThat(stranger.status()).isEqualTo(1);
      assertThat(stranger.err()).contains("not trusted").contains("--cacert");
      CommandLineRun wrong =
          CommandLineRun.of(
              "doctor",
              "--url",
              server.url(),
              "--token",
              "wrong" + TOKEN,
              "--cacert",
              certificate.toString());
      assertThat(wrong.status()).isEqualTo(1);
      assertThat(wrong.err()).contains("MILLRACE_TOKEN").doesNotContain(TOKEN);
      CommandLineRun noFile =
          CommandLineRun.of("doctor", "--url", server.url(), "--cacert", directory + "/none.pem");
      assertThat(noFile.err()).contains("cannot read").contains("none.pem");
    }
  }
}
