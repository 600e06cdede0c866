package io.millrace.engine.csrf;

import io.millrace.wire.block.Addresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The host names of an HTTP server, used to reject requests that a page of another site makes a
 * user's browser send.
 *
 * <p>A page can do that in two ways. It makes its own name resolve to the server's address (DNS
 * rebinding) and can then read the response; {@code Host} has the foreign name. Or it uses the
 * server's address; it cannot read the response, but the server executes the request. {@code
 * Origin} shows this, or {@code Sec-Fetch-Site} if the browser sends no origin. Clients other than
 * browsers send only {@code Host}. Immutable.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6454">RFC 6454, origins</a>
 * @see <a href="https://www.w3.org/TR/fetch-metadata/">Fetch Metadata</a>
 */
public final class ServerNames {
  private static final Set<String> OTHER_SITES = Set.of("cross-site", "same-site");

  private final Set<String> own = new HashSet<>();
  private final Set<String> admitted = new HashSet<>();

  /**
   * Creates the set of names. Loopback names and the local address of a connection are always
   * included. {@code *.example.com} matches names with exactly one more label.
   *
   * @param own names of the server
   * @param admitted names under which proxies forward requests to it
   */
  public ServerNames(Collection<String> own, Collection<String> admitted) {
    this.own.add("localhost");
    own.forEach(name -> this.own.add(bare(name)));
    admitted.forEach(name -> this.admitted.add(bare(name)));
  }

  /**
   * Whether a request is for this server.
   *
   * @param host its name in the request, without the port
   * @param local address of the server's end of the connection
   */
  public boolean isKnown(String host, SocketAddress local) {
    String name = bare(host);
    return contains(own, name) || contains(admitted, name) || isReached(name, local);
  }

  /**
   * Whether a page of another site has caused a request for this server.
   *
   * @param origins values of {@code Origin}
   * @param site value of {@code Sec-Fetch-Site}; null for none
   * @param host name of the server in the request, without the port
   * @param port of the server in the request
   */
  public boolean isCrossSite(List<String> origins, String site, String host, int port) {
    return origins.isEmpty()
        ? site != null && OTHER_SITES.contains(site)
        : !origins.stream().allMatch(origin -> isOwnOrigin(origin, bare(host), port));
  }

  /**
   * Whether a user follows a link to the server's first page, which has no side effects.
   *
   * @param mode value of {@code Sec-Fetch-Mode}; null for none
   */
  public static boolean isPageNavigation(String method, String path, String mode) {
    return "navigate".equals(mode) && method.equals("GET") && path.equals("/");
  }

  private boolean isOwnOrigin(String origin, String host, int ownPort) {
    try {
      URI uri = URI.create(origin); // "null" has no host
      if (uri.getHost() == null) {
        return false;
      }
      String name = bare(uri.getHost());
      int port = uri.getPort() >= 0 ? uri.getPort() : "https".equals(uri.getScheme()) ? 443 : 80;
      return contains(admitted, name) || (name.equals(host) && port == ownPort);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean contains(Set<String> names, String name) {
    int dot = name.indexOf('.');
    return names.contains(name) || (dot > 0 && names.contains("*" + name.substring(dot)));
  }

  private static boolean isReached(String host, SocketAddress local) {
    if (!Addresses.parse(host, new long[2])) {
      return false; // a host name; it is not resolved
    }
    try {
      InetAddress address = InetAddress.getByName(host);
      return address.isLoopbackAddress()
          || (local instanceof InetSocketAddress here && address.equals(here.getAddress()));
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** Lower case, without the brackets of IPv6 and a trailing dot. */
  private static String bare(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    return lower.startsWith("[") && lower.endsWith("]")
        ? lower.substring(1, lower.length() - 1)
        : lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }
}
