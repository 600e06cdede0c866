package io.millrace.server.access;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server's key and certificates from PEM files, which are read again when they change: new
 * connections get a renewed certificate, without a restart. While the files are invalid, as between
 * the replacements of the two, the last identity stays. Thread-safe.
 */
public final class ServerIdentity extends X509ExtendedKeyManager {
  private static final Logger LOG = LoggerFactory.getLogger(ServerIdentity.class);
  private static final Duration LOOK = Duration.ofSeconds(10);

  private final Path certificates;
  private final Path key;
  private final long lookNanos;
  private volatile Read current;

  // Guarded by this.
  private Read previous;
  private long lookedNanos = System.nanoTime();
  private List<FileTime> failedTimes = List.of();

  /**
   * What the files had.
   *
   * @param number of the reading, which aliases begin with
   * @param times of the files
   */
  private record Read(
      int number, X509ExtendedKeyManager manager, Set<String> names, List<FileTime> times) {}

  /**
   * Reads the files.
   *
   * @param key file of the private key; null if it is in the certificates' file
   * @throws IOException if a file is missing or invalid; names it
   */
  public ServerIdentity(Path certificates, Path key) throws IOException {
    this(certificates, key, LOOK);
  }

  ServerIdentity(Path certificates, Path key, Duration look) throws IOException {
    this.certificates = certificates;
    this.key = key == null ? certificates : key;
    lookNanos = look.toNanos();
    current = read(0, times());
    previous = current;
  }

  /** A TLS context with this identity. */
  public SSLContext context() throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {this}, null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot use " + certificates + ": " + e.getMessage(), e);
    }
  }

  /** The server names and addresses in the certificate. */
  public Set<String> names() {
    return current.names;
  }

  private List<FileTime> times() throws IOException {
    try {
      return List.of(Files.getLastModifiedTime(certificates), Files.getLastModifiedTime(key));
    } catch (NoSuchFileException e) {
      throw new IOException("cannot read " + e.getFile() + ": no such file", e);
    }
  }

  private Read read(int number, List<FileTime> times) throws IOException {
    char[] password = UUID.randomUUID().toString().toCharArray(); // of a key store in memory
    KeyStore store = PemFiles.identity(certificates, key, password);
    try {
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, password);
      return new Read(
          number,
          (X509ExtendedKeyManager) factory.getKeyManagers()[0],
          PemFiles.names(store),
          times);
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot use " + certificates + ": " + e.getMessage(), e);
    }
  }

  private Read newest() {
    long now = System.nanoTime();
    synchronized (this) {
      if (now - lookedNanos < lookNanos) {
        return current;
      }
      lookedNanos = now;
      List<FileTime> times = List.of();
      try {
        times = times();
        if (!times.equals(current.times) && !times.equals(failedTimes)) {
          Read next = read(current.number + 1, times);
          previous = current;
          current = next;
          LOG.info("certificate {} reloaded; new connections use it", certificates);
        }
      } catch (IOException e) {
        if (!times.equals(failedTimes)) {
          LOG.warn("cannot reload the certificate, keeping the previous one: {}", e.getMessage());
        }
        failedTimes = times;
      }
      return current;
    }
  }

  private static String alias(Read read, String alias) {
    return alias == null ? null : read.number + ":" + alias;
  }

  /** The reading that an alias is from: a handshake may last over a renewal. */
  private synchronized Read of(String alias) {
    return alias.startsWith(previous.number + ":") ? previous : current;
  }

  private static String own(String alias) {
    return alias.substring(alias.indexOf(':') + 1);
  }

  @Override
  public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
    Read read = newest();
    return alias(read, read.manager.chooseEngineServerAlias(keyType, issuers, engine));
  }

  @Override
  public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
    Read read = newest();
    return alias(read, read.manager.chooseServerAlias(keyType, issuers, socket));
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return of(alias).manager.getCertificateChain(own(alias));
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return of(alias).manager.getPrivateKey(own(alias));
  }

  @Override
  public String[] getServerAliases(String keyType, Principal[] issuers) {
    Read read = current;
    String[] aliases = read.manager.getServerAliases(keyType, issuers);
    if (aliases != null) {
      for (int i = 0; i < aliases.length; i++) {
        aliases[i] = alias(read, aliases[i]);
      }
    }
    return aliases;
  }

  @Override
  public String[] getClientAliases(String keyType, Principal[] issuers) {
    return null; // of a server alone
  }

  @Override
  public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
    return null; // of a server alone
  }
}
