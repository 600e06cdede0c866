package io.millrace.server.api;

import io.millrace.engine.csrf.ServerNames;
import io.millrace.pulse.LocalHost;
import io.millrace.server.access.ServerIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** A port on which a server speaks HTTP, with or without TLS. Configure it before the start. */
public final class Listener {
  private static final Set<String> ANY = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

  private final Server server;
  private final String host;
  private final HttpConfiguration http = new HttpConfiguration();
  private final ServerConnector connector;
  private final Set<String> names = new HashSet<>();
  private List<String> admitted = List.of();
  private String scheme = "http";
  private SenderConnections senders;

  /**
   * Creates an unbound listener.
   *
   * @param host bind address
   * @param port TCP port; 0 for a free one
   */
  public Listener(Server server, String host, int port) {
    this.server = server;
    this.host = host;
    http.setSendServerVersion(false);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost(host);
    connector.setPort(port);
    server.addConnector(connector);
    names.add(host);
  }

  /**
   * Accepts further host names than the address, this machine's and the certificate's; call before
   * the start.
   *
   * @param hosts names and addresses used by a proxy
   */
  public void acceptHosts(List<String> hosts) {
    admitted = List.copyOf(hosts);
  }

  /**
   * Sets the limits of senders; call before the start.
   *
   * @param tooMany receives the sender of each rejected connection
   * @param tooSlow receives the sender of each request whose body was too slow
   */
  public void bound(
      SenderBounds bounds, Consumer<SenderAddress> tooMany, Consumer<SenderAddress> tooSlow) {
    senders = new SenderConnections(connector, bounds, tooMany, tooSlow);
    connector.addBean(senders, false); // receives connection events; started as a handler
    server.addBean(new NetworkConnectionLimit(bounds.connections(), connector));
  }

  /** Number of senders with open connections. */
  public int senders() {
    return senders.senders();
  }

  /** HTTP settings, to be changed before the start. */
  public HttpConfiguration http() {
    return http;
  }

  /** Jetty's connector. */
  public ServerConnector connector() {
    return connector;
  }

  /**
   * Enables TLS; call before the start.
   *
   * @param key PEM file of the private key; null if it is in the certificate file
   * @throws IOException if a file is invalid; the message names it
   */
  public void enableTls(Path certificate, Path key) throws IOException {
    ServerIdentity identity = new ServerIdentity(certificate, key);
    names.addAll(identity.names());
    SslContextFactory.Server tls = new SslContextFactory.Server();
    tls.setSslContext(identity.context());
    // Clients verify the name; clients that connect by address send none.
    http.addCustomizer(new SecureRequestCustomizer(false));
    connector.addFirstConnectionFactory(
        new SslConnectionFactory(tls, HttpVersion.HTTP_1_1.asString()));
    scheme = "https";
  }

  /**
   * Starts the server and binds the port. Requests for unknown hosts do not reach the handler.
   *
   * @param setting configuration key of the port, for the message
   * @throws IOException if the port cannot be bound
   */
  public void start(String setting) throws IOException {
    int wanted = connector.getPort();
    names.add(LocalHost.name());
    server.setErrorHandler(new JsonErrors());
    senders.setHandler(new KnownHosts(new ServerNames(names, admitted), server.getHandler()));
    server.setHandler(senders);
    try {
      server.start();
      senders.watch();
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

  /** Connection of a request as the connector lists it, below TLS. */
  public static EndPoint socket(Request request) {
    EndPoint end = request.getConnectionMetaData().getConnection().getEndPoint();
    return end instanceof EndPoint.Wrapper tls ? tls.unwrap() : end;
  }

  /** The bound port. */
  public int port() {
    return connector.getLocalPort();
  }

  /** The URL for clients on this machine. */
  public String url() {
    String reached = ANY.contains(host) ? "127.0.0.1" : host;
    return scheme + "://" + (reached.contains(":") ? "[" + reached + "]" : reached) + ":" + port();
  }
}
