package io.millrace.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testing.TestCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerIdentityTest {
  @TempDir Path directory;

  private Path certificate;
  private Path key;
  private TestCertificate first;
  private TestCertificate second;
  private Instant changed = Instant.parse("2026-11-01T00:00:00Z");

  @BeforeEach
  void make() throws Exception {
    certificate = directory.resolve("tls.pem");
    key = directory.resolve("tls.key");
    first = TestCertificate.make(Files.createDirectory(directory.resolve("first")), "EC");
    second = TestCertificate.make(Files.createDirectory(directory.resolve("second")), "EC");
    replace(certificate, first.certificate());
    replace(key, first.key());
  }

  private void replace(Path file, Path by) throws IOException {
    Files.copy(by, file, StandardCopyOption.REPLACE_EXISTING);
    changed = changed.plusSeconds(60);
    Files.setLastModifiedTime(file, FileTime.from(changed));
  }

  private static X509Certificate of(TestCertificate of) throws Exception {
    try (InputStream in = Files.newInputStream(of.certificate())) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  private X509Certificate shown(ServerIdentity identity) {
    String alias = identity.chooseEngineServerAlias("EC", null, null);
    assertThat(identity.getPrivateKey(alias)).isNotNull();
    return identity.getCertificateChain(alias)[0];
  }

  @Test
  void aRenewedCertificateIsUsedWhenBothFilesAreThere() throws Exception {
    ServerIdentity identity = new ServerIdentity(certificate, key, Duration.ZERO);
    String before = identity.chooseEngineServerAlias("EC", null, null);
    assertThat(shown(identity)).isEqualTo(of(first));
    replace(certificate, second.certificate());
    assertThat(shown(identity)).isEqualTo(of(first));
    replace(key, second.key());
    assertThat(shown(identity)).isEqualTo(of(second));
    assertThat(identity.getCertificateChain(before)[0]).isEqualTo(of(first)); // a slow handshake
    assertThat(identity.names()).contains("localhost", "127.0.0.1");
  }

  @Test
  void invalidAndMissingFilesChangeNothing() throws Exception {
    ServerIdentity identity = new ServerIdentity(certificate, key, Duration.ZERO);
    Files.writeString(certificate, "no certificate");
    Files.setLastModifiedTime(certificate, FileTime.from(changed.plusSeconds(1)));
    assertThat(shown(identity)).isEqualTo(of(first));
    Files.delete(certificate);
    assertThat(shown(identity)).isEqualTo(of(first));
    replace(certificate, second.certificate());
    replace(key, second.key());
    assertThat(shown(identity)).isEqualTo(of(second));
  }

  @Test
  void filesAreNotCheckedForEachConnection() throws Exception {
    ServerIdentity identity = new ServerIdentity(certificate, key, Duration.ofDays(1));
    replace(certificate, second.certificate());
    replace(key, second.key());
    assertThat(shown(identity)).isEqualTo(of(first));
  }

  @Test
  void theKeyOfAnotherCertificateIsRejected() {
    assertThatThrownBy(() -> new ServerIdentity(first.certificate(), second.key()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(second.key() + " is not the key of the certificate in ");
  }
}
