package io.millrace.server.api;

import io.millrace.wire.block.Addresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Hands on what was meant for this server, and refuses what a page of another site makes the
 * browser of a user send.
 *
 * <p>A page can do that in two ways. It has its own name lead to our address (DNS rebinding), and
 * could read what we answer: then {@code Host} is that name, which is none of ours. Or it calls us
 * by our address, and cannot read the answer but has the request carried out: then {@code Origin}
 * (or {@code Sec-Fetch-Site}, where a browser sends no origin) tells. Other clients send none of
 * these but {@code Host}.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6454">RFC 6454, origins</a>
 * @see <a href="https://www.w3.org/TR/fetch-metadata/">Fetch Metadata</a>
 */
final class KnownHosts extends Handler.Wrapper {
  private static final Set<String> OTHER_SITES = Set.of("cross-site", "same-site");

  private final Set<String> own = new HashSet<>();
  private final Set<String> admitted = new HashSet<>();

  /**
   * In front of a handler.
   *
   * @param own names and addresses of this server; those of loopback and the one that a connection
   *     came to are known anyway. {@code *.example.com} stands for each name one label longer
   * @param admitted names and addresses under which others pass requests on to this server
   */
  KnownHosts(Set<String> own, List<String> admitted, Handler handler) {
    super(handler);
    this.own.add("localhost");
    own.forEach(name -> this.own.add(bare(name)));
    admitted.forEach(name -> this.admitted.add(bare(name)));
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    ApiException refusal = refusal(request);
    if (refusal == null) {
      return super.handle(request, response, callback);
    }
    HttpServer.fail(response, callback, refusal);
    return true;
  }

  /** Null for none. */
  private ApiException refusal(Request request) {
    String host = bare(Request.getServerName(request));
    if (!isKnown(host, request)) {
      return new ApiException(
          421,
          host + " is not known as a name of this server; where it is one, add it to http.hosts");
    }
    HttpFields headers = request.getHeaders();
    List<String> origins = headers.getValuesList(HttpHeader.ORIGIN);
    boolean isOfOtherSite =
        origins.isEmpty()
            ? OTHER_SITES.contains(site(headers)) && !opensThePage(request)
            : !origins.stream().allMatch(origin -> isOwnOrigin(origin, host, request));
    return isOfOtherSite
        ? new ApiException(
            403,
            "pages of other sites may not ask here; where this server is reached under another name,"
                + " add that to http.hosts")
        : null;
  }

  private static String site(HttpFields headers) {
    String site = headers.get("Sec-Fetch-Site");
    return site == null ? "none" : site;
  }

  /** Somebody has followed a link to the dashboard, which asks nothing by itself. */
  private static boolean opensThePage(Request request) {
    return "navigate".equals(request.getHeaders().get("Sec-Fetch-Mode"))
        && request.getMethod().equals("GET")
        && Request.getPathInContext(request).equals("/");
  }

  private boolean isOwnOrigin(String origin, String host, Request request) {
    try {
      URI uri = URI.create(origin); // "null" has no host
      if (uri.getHost() == null) {
        return false;
      }
      String name = bare(uri.getHost());
      int port = uri.getPort() >= 0 ? uri.getPort() : "https".equals(uri.getScheme()) ? 443 : 80;
      return contains(admitted, name)
          || (name.equals(host) && port == Request.getServerPort(request));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private boolean isKnown(String host, Request request) {
    return contains(own, host)
        || contains(admitted, host)
        || isReached(host, request.getConnectionMetaData().getLocalSocketAddress());
  }

  private static boolean contains(Set<String> names, String name) {
    int dot = name.indexOf('.');
    return names.contains(name) || (dot > 0 && names.contains("*" + name.substring(dot)));
  }

  /** Whether it is an address of loopback, or the one that the connection came to. */
  private static boolean isReached(String host, SocketAddress local) {
    if (!Addresses.parse(host, new long[2])) {
      return false; // a name, which nobody is asked for
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
