package io.millrace.server.api;

import io.millrace.engine.visitor.OwnNames;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Hands on what was meant for this server, and refuses what a page of another site makes the
 * browser of a user send.
 */
final class KnownHosts extends Handler.Wrapper {
  private final OwnNames names;

  /** In front of a handler. */
  KnownHosts(OwnNames names, Handler handler) {
    super(handler);
    this.names = names;
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
    String host = Request.getServerName(request);
    if (!names.isKnown(host, request.getConnectionMetaData().getLocalSocketAddress())) {
      return new ApiException(
          421,
          host + " is not known as a name of this server; where it is one, add it to http.hosts");
    }
    HttpFields headers = request.getHeaders();
    boolean opensThePage =
        OwnNames.opensThePage(
            request.getMethod(), Request.getPathInContext(request), headers.get("Sec-Fetch-Mode"));
    boolean isOfOtherSite =
        names.isOfOtherSite(
            headers.getValuesList(HttpHeader.ORIGIN),
            opensThePage ? null : headers.get("Sec-Fetch-Site"),
            host,
            Request.getServerPort(request));
    return isOfOtherSite
        ? new ApiException(
            403,
            "pages of other sites may not ask here; where this server is reached under another name,"
                + " add that to http.hosts")
        : null;
  }
}
