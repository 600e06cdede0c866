package io.millrace.server.api;

import io.millrace.engine.csrf.ServerNames;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Rejects requests for unknown host names, and cross-site requests of browsers. */
final class KnownHosts extends Handler.Wrapper {
  private final ServerNames names;

  KnownHosts(ServerNames names, Handler handler) {
    super(handler);
    this.names = names;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    ApiException rejection = rejection(request);
    if (rejection == null) {
      return super.handle(request, response, callback);
    }
    if (wantsPage(request)) {
      rejectPage(response, callback, rejection);
    } else {
      HttpServer.fail(response, callback, rejection);
    }
    return true;
  }

  private static boolean wantsPage(Request request) {
    return request.getMethod().equals("GET")
        && request.getHeaders().getValuesList(HttpHeader.ACCEPT).stream()
            .anyMatch(media -> media.contains("text/html"));
  }

  private static void rejectPage(Response response, Callback callback, ApiException rejection) {
    response.reset();
    response.setStatus(rejection.status());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/html; charset=utf-8");
    response.getHeaders().put("Content-Security-Policy", "default-src 'none'");
    String page =
        """
        <!DOCTYPE html>
        <html lang="en">
        <title>Millrace: rejected</title>
        <h1>Millrace rejected this request</h1>
        <p>%s.</p>
        <p>Set the key in the configuration file (<code>millrace up -c FILE</code>), for example:</p>
        <pre>http:
          hosts: [flows.example.com]</pre>
        </html>
        """
            .formatted(escaped(rejection.getMessage()));
    response.write(true, ByteBuffer.wrap(page.getBytes(StandardCharsets.UTF_8)), callback);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** Reason to reject a request; null if it is accepted. */
  private ApiException rejection(Request request) {
    String host = Request.getServerName(request);
    if (!names.isKnown(host, request.getConnectionMetaData().getLocalSocketAddress())) {
      return new ApiException(
          421, host + " is not a known name of this server; if it is one, add it to http.hosts");
    }
    HttpFields headers = request.getHeaders();
    boolean isPageNavigation =
        ServerNames.isPageNavigation(
            request.getMethod(), Request.getPathInContext(request), headers.get("Sec-Fetch-Mode"));
    boolean isCrossSite =
        names.isCrossSite(
            headers.getValuesList(HttpHeader.ORIGIN),
            isPageNavigation ? null : headers.get("Sec-Fetch-Site"),
            host,
            Request.getServerPort(request));
    return isCrossSite
        ? new ApiException(
            403,
            "cross-site requests are rejected; if this server is reached under another name,"
                + " add it to http.hosts")
        : null;
  }
}
