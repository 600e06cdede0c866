package io.millrace.engine.visitor;

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
 * The names of a server that speaks HTTP, by which requests that were meant for it are told from
 * those that a page of another site makes the browser of a user send.
 *
 * <p>A page can do that in two ways. It has its own name lead to our address (DNS rebinding), and
 * could read what we answer: then {@code Host} is that name, which is none of ours. Or it calls us
 * by our address, and cannot read the answer but has the request carried out: then {@code Origin}
 * (or {@code Sec-Fetch-Site}, where a browser sends no origin) tells. Other clients send none of
 * these but {@code Host}. Immutable.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6454">RFC 6454, origins</a>
 * @see <a href="https://www.w3.org/TR/fetch-metadata/">Fetch Metadata</a>
 */
public final class OwnNames {
  private static final Set<String> OTHER_SITES = Set.of("cross-site", "same-site");

  private final Set<String> own = new HashSet<>();
  private final Set<String> admitted = new HashSet<>();

  /**
   * Names and addresses; those of loopback, and the one that a connection came to, are known
   * anyway. {@code *.example.com} stands for each name one label longer.
   *
   * @param own of the server
   * @param admitted under which others pass requests on to it
   */
  public OwnNames(Collection<String> own, Collection<String> admitted) {
    this.own.add("localhost");
    own.forEach(name -> this.own.add(bare(name)));
    admitted.forEach(name -> this.admitted.add(bare(name)));
  }

  /**
   * Whether a request is for this server.
   *
   * @param host its name in the request, without the port
   * @param local the address that its connection came to
   */
  public boolean isKnown(String host, SocketAddress local) {
    String name = bare(host);
    return contains(own, name) || contains(admitted, name) || isReached(name, local);
  }

  /**
   * Whether a page of another site has sent a request that is for this server.
   *
   * @param origins values of {@code Origin}
   * @param site value of {@code Sec-Fetch-Site}; null for none
   * @param host name of the server in the request, without the port
   * @param port of the server in the request
   */
  public boolean isOfOtherSite(List<String> origins, String site, String host, int port) {
    return origins.isEmpty()
        ? site != null && OTHER_SITES.contains(site)
        : !origins.stream().allMatch(origin -> isOwnOrigin(origin, bare(host), port));
  }

  /**
   * Whether somebody has followed a link to the server's first page, which asks nothing by itself.
   *
   * @param mode value of {@code Sec-Fetch-Mode}; null for none
   */
  public static boolean opensThePage(String method, String path, String mode) {
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

  /** Whether it is an address of loopback, or the one that the connection came to. */
  private static boolean isReached(String host, SocketAddress local) {
    if (!Addresses.parse(host, new long[2])) {
      return false; // a name, and no server is asked to look it up
    }
    try {
      InetAddress address = InetAddress.getByName(host);
      return address.isLoopbackAddress()
          || (local instanceof InetSocketAddress here && address.equals(here.getAddress()));
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** Lower case, without the brackets of IPv6 and the dot of a name that is complete. */
  private static String bare(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    return lower.startsWith("[") && lower.endsWith("]")
        ? lower.substring(1, lower.length() - 1)
        : lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }
}
