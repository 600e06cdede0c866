package io.millrace.server.ingest.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

final class Unreachable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int NOT_FOUND = 404;

  private Unreachable() {}

  static IOException because(URI url, Throwable cause) {
    return new IOException("cannot send to " + url + ": " + reason(url, cause), cause);
  }

  static IOException rejected(URI url, int status, String body) {
    String hint =
        status == NOT_FOUND ? " (send records to the address of the server's ingest.listen)" : "";
    String message = message(body).strip();
    return new IOException(
        "cannot send to "
            + url
            + ": status "
            + status
            + (message.isEmpty() ? "" : ": " + message)
            + hint);
  }

  static String message(String body) {
    try {
      return JSON.readTree(body).path("error").path("message").asText(body);
    } catch (JsonProcessingException e) {
      return body; // not a Millrace server
    }
  }

  private static String reason(URI url, Throwable cause) {
    for (Throwable one = cause; one != null; one = one.getCause()) {
      if (one instanceof UnknownHostException || one instanceof UnresolvedAddressException) {
        return "unknown host " + url.getHost();
      }
      if ("http".equals(url.getScheme())
          && (one instanceof EOFException || one instanceof ProtocolException)) {
        return "the server closed the connection or does not speak HTTP; for TLS use https://";
      }
    }
    if (cause instanceof HttpTimeoutException || cause instanceof SocketTimeoutException) {
      return "no response; if the server limits connections (ingest.max-connections), send fewer requests at"
          + " a time with --in-flight";
    }
    if (cause instanceof ConnectException) {
      return "connection refused; check ingest.listen of the server";
    }
    if (cause instanceof SSLHandshakeException) {
      return "the server's certificate is not trusted; pass it with --cacert: "
          + cause.getMessage();
    }
    if (cause instanceof SSLException) {
      return "the server does not speak TLS; use http:// (" + cause.getMessage() + ")";
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
