package io.millrace.server.api;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Sends Jetty's own errors, such as invalid paths or oversized headers, in the API's format. */
final class JsonErrors extends ErrorHandler {
  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      String message,
      Throwable cause,
      Callback callback) {
    HttpServer.fail(response, callback, new ApiException(code, message));
  }
}
