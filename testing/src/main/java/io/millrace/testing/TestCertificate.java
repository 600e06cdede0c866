package io.millrace.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate of this machine's loopback and its key, each in a PEM file. Made by the JDK's own
 * tool, so that no key stands in the repository.
 */
public final class TestCertificate {
  private static final char[] PASSWORD = "password".toCharArray();
  private static final String ALIAS = "instance";

  private final Path directory;
  private final KeyStore keys;
  private final Path certificate;
  private final Path key;

  private TestCertificate(Path directory, KeyStore keys)
      throws GeneralSecurityException, IOException {
    this.directory = directory;
    this.keys = keys;
    certificate = write("certificate.pem", "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
    key = write("key.pem", "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD).getEncoded());
  }

  /**
   * Makes one, valid for {@code localhost} and {@code 127.0.0.1}.
   *
   * @param algorithm of the key: EC or RSA
   */
  public static TestCertificate make(Path directory, String algorithm)
      throws GeneralSecurityException, IOException {
    Path store = directory.resolve("store.p12");
    Path output = directory.resolve("keytool.out");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-alias",
                ALIAS,
                "-keyalg",
                algorithm,
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-validity",
                "2")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (keytool.onExit().join().exitValue() != 0) {
      throw new IOException("keytool: " + Files.readString(output));
    }
    return new TestCertificate(directory, KeyStore.getInstance(store.toFile(), PASSWORD));
  }

  private Path write(String file, String what, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return Files.writeString(
        directory.resolve(file),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, text, what));
  }

  /** PEM file of the certificate. */
  public Path certificate() {
    return certificate;
  }

  /** PEM file of its key. */
  public Path key() {
    return key;
  }

  /** One PEM file with both. */
  public Path both() throws IOException {
    return Files.writeString(
        directory.resolve("both.pem"), Files.readString(key) + Files.readString(certificate));
  }

  /** For clients that trust this certificate and no other. */
  public SSLContext trusting() throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }
}
