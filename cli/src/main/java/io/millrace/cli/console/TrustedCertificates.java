package io.millrace.cli.console;

import io.millrace.server.access.PemFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Trusted certificates of the option {@code --cacert}. */
public final class TrustedCertificates {
  private TrustedCertificates() {}

  /**
   * Creates a TLS context that trusts only the certificates of a PEM file.
   *
   * @throws IOException if the file cannot be read or contains no certificate; the message names it
   */
  public static SSLContext of(Path certificates) throws IOException {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(PemFiles.trusted(certificates));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("--cacert: " + certificates + ": " + e.getMessage(), e);
    }
  }
}
