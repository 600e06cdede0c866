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
 * Private key and certificates of a server, from PEM files. They are reloaded when the files
 * change, so new connections get a renewed certificate without a restart. While the files are
 * invalid, such as when only one of the two is replaced, the previous identity stays in use.
 * Thread-safe.
 */
public final class ServerIdentity extends X509ExtendedKeyManager {
  private static final Logger LOG = LoggerFactory.getLogger(ServerIdentity.class);
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

  private final Path certificates;
  private final Path key;
  private final long checkNanos;
  private volatile Read current;

  // Guarded by this.
  private Read previous;
  private long checkedNanos = System.nanoTime();
  private List<FileTime> failedTimes = List.of();

  /**
   * Content of the files.
   *
   * @param number sequence number of the load, with which key aliases begin
   * @param times modification times of the files
   */
  private record Read(
      int number, X509ExtendedKeyManager manager, Set<String> names, List<FileTime> times) {}

  /**
   * Reads the files.
   *
   * @param key file of the private key; null if it is in the certificate file
   * @throws IOException if a file is missing or invalid; the message names it
   */
  public ServerIdentity(Path certificates, Path key) throws IOException {
    this(certificates, key, CHECK_INTERVAL);
  }

  ServerIdentity(Path certificates, Path key, Duration look) throws IOException {
    this.certificates = certificates;
    this.key = key == null ? certificates : key;
    checkNanos = look.toNanos();
    current = read(0, times());
    previous = current;
  }

  /** Creates a TLS context with this identity. */
  public SSLContext context() throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {this}, null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot use " + certificates + ": " + e.getMessage(), e);
    }
  }

  /** Server names and addresses in the certificate. */
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
    char[] password = UUID.randomUUID().toString().toCharArray(); // of the in-memory key store
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
      if (now - checkedNanos < checkNanos) {
        return current;
      }
      checkedNanos = now;
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

  /**
   * Content that an alias belongs to: a handshake that began before a reload uses the previous one.
   */
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
    return null; // clients have no identity
  }

  @Override
  public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
    return null; // clients have no identity
  }
}
