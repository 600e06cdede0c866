package io.millrace.server.api;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/**
 * What Jetty refuses by itself, such as a path that it cannot read or headers that are too long, in
 * the form of the rest.
 */
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
