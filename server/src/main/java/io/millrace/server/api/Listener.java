package io.millrace.server.api;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** A port on which a server speaks HTTP, in clear or encrypted. Made without effect. */
public final class Listener {
  private static final Set<String> ANY = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

  private final Server server;
  private final String host;
  private final HttpConfiguration http = new HttpConfiguration();
  private final ServerConnector connector;
  private String scheme = "http";

  /**
   * A port of a server, which is not bound yet.
   *
   * @param host address to bind
   * @param port 0 for a free one
   */
  public Listener(Server server, String host, int port) {
    this.server = server;
    this.host = host;
    http.setSendServerVersion(false);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost(host);
    connector.setPort(port);
    server.addConnector(connector);
  }

  /** How HTTP is spoken, to be set before the start. */
  public HttpConfiguration http() {
    return http;
  }

  /** Jetty's own view of the port. */
  public ServerConnector connector() {
    return connector;
  }

  /**
   * Encrypts all connections; called before the start.
   *
   * @param key file of the certificate's key; null if it stands in the certificate's file
   * @throws IOException if a file is not what it has to be; says which
   */
  public void encrypt(Path certificate, Path key) throws IOException {
    String password = UUID.randomUUID().toString(); // of a store that never leaves this process
    SslContextFactory.Server tls = new SslContextFactory.Server();
    tls.setKeyStore(PemFiles.identity(certificate, key, password.toCharArray()));
    tls.setKeyStorePassword(password);
    // Clients compare names; a server that is asked for by its address need not.
    http.addCustomizer(new SecureRequestCustomizer(false));
    connector.addFirstConnectionFactory(
        new SslConnectionFactory(tls, HttpVersion.HTTP_1_1.asString()));
    scheme = "https";
  }

  /**
   * Starts the server, which binds the port.
   *
   * @param setting that names the port, for the message
   * @throws IOException if it cannot be bound
   */
  public void start(String setting) throws IOException {
    int wanted = connector.getPort();
    try {
      server.start();
    } catch (Exception e) {
      throw new IOException(
          "cannot listen on " + host + ":" + wanted + " (" + setting + "): " + rootMessage(e), e);
    }
  }

  private static String rootMessage(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage();
  }

  /** The port that was bound. */
  public int port() {
    return connector.getLocalPort();
  }

  /** Where this machine reaches it. */
  public String url() {
    String reached = ANY.contains(host) ? "127.0.0.1" : host;
    return scheme + "://" + (reached.contains(":") ? "[" + reached + "]" : reached) + ":" + port();
  }
}
