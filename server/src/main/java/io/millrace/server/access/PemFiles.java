package io.millrace.server.access;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and keys in PEM (RFC 7468). */
public final class PemFiles {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([^-]*)-----END \\1PRIVATE KEY-----");
  private static final String ALIAS = "millrace";
  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519", "Ed448");

  private PemFiles() {}

  /**
   * Reads a private key with its certificates into an in-memory key store.
   *
   * @param key file of the private key; null if it is in the certificate file
   * @throws IOException if a file is missing or invalid; the message names it
   */
  public static KeyStore identity(Path certificates, Path key, char[] password) throws IOException {
    Path keyFile = key == null ? certificates : key;
    Certificate[] chain = certificates(certificates).toArray(new Certificate[0]);
    try {
      PrivateKey own = key(keyFile);
      if (!isPair(own, chain[0].getPublicKey())) {
        throw new IOException(keyFile + " is not the key of the certificate in " + certificates);
      }
      KeyStore store = empty();
      store.setKeyEntry(ALIAS, own, password, chain);
      return store;
    } catch (GeneralSecurityException e) {
      throw new IOException("http.tls-key: " + keyFile + ": " + e.getMessage(), e);
    }
  }

  private static boolean isPair(PrivateKey key, PublicKey certified)
      throws GeneralSecurityException {
    if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
      return false;
    }
    Signature signature =
        Signature.getInstance(
            switch (key.getAlgorithm()) {
              case "RSA" -> "SHA256withRSA";
              case "EC" -> "SHA256withECDSA";
              default -> key.getAlgorithm(); // EdDSA
            });
    signature.initSign(key);
    byte[] signed = signature.sign();
    signature.initVerify(certified);
    return signature.verify(signed);
  }

  /** Server names and addresses in the certificate of a key store. */
  public static Set<String> names(KeyStore identity) throws IOException {
    try {
      X509Certificate own = (X509Certificate) identity.getCertificate(ALIAS);
      Set<String> names = new HashSet<>();
      if (own.getSubjectAlternativeNames() != null) {
        for (List<?> name : own.getSubjectAlternativeNames()) {
          if (name.get(1) instanceof String text) { // other types are not server names
            names.add(text);
          }
        }
      }
      return names;
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot read the certificate's names: " + e.getMessage(), e);
    }
  }

  /**
   * Reads trusted certificates into an in-memory key store.
   *
   * @throws IOException if the file is missing or contains no certificate; the message names it
   */
  public static KeyStore trusted(Path certificates) throws IOException {
    try {
      KeyStore store = empty();
      int n = 0;
      for (Certificate certificate : certificates(certificates)) {
        store.setCertificateEntry("trusted-" + n++, certificate);
      }
      return store;
    } catch (GeneralSecurityException e) {
      throw new IOException(certificates + ": " + e.getMessage(), e);
    }
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(Path file) throws IOException {
    try {
      String text = read(file);
      int first = text.indexOf("-----BEGIN CERTIFICATE-----");
      if (first < 0) {
        throw new IOException(file + ": no PEM certificate found (BEGIN CERTIFICATE)");
      }
      // skips a key in the same file
      String bare = KEY.matcher(text).replaceAll("");
      return CertificateFactory.getInstance("X.509")
          .generateCertificates(
              new ByteArrayInputStream(bare.strip().getBytes(StandardCharsets.US_ASCII)));
    } catch (CertificateException e) {
      throw new IOException(file + ": invalid PEM certificate: " + e.getMessage(), e);
    }
  }

  private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
    Matcher matcher = KEY.matcher(read(file));
    if (!matcher.find()) {
      throw new IOException(file + ": no PEM private key found (BEGIN PRIVATE KEY)");
    }
    if (!matcher.group(1).isEmpty()) {
      throw new IOException(
          file
              + ": unsupported key format "
              + matcher.group(1).strip()
              + "; convert it to unencrypted PKCS #8: openssl pkcs8 -topk8 -nocrypt -in "
              + file
              + " -out key.pem");
    }
    byte[] encoded;
    try {
      encoded = Base64.getMimeDecoder().decode(matcher.group(2));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": invalid base64 in the private key", e);
    }
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      } catch (InvalidKeySpecException e) {
        // not this algorithm: try the next
      }
    }
    throw new IOException(
        file + ": unsupported key algorithm, expected " + String.join(", ", ALGORITHMS));
  }

  private static String read(Path file) throws IOException {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new IOException("cannot read " + file, e);
    }
  }
}
