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

/** Why records could not be sent, in words that say what to do. */
final class Unreachable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int NOT_FOUND = 404;

  private Unreachable() {}

  /** The failure to tell, with its cause. */
  static IOException because(URI url, Throwable cause) {
    return new IOException("cannot send to " + url + ": " + reason(url, cause), cause);
  }

  /** The failure to tell of a server that refuses to listen. */
  static IOException refused(URI url, int status, String body) {
    String hint =
        status == NOT_FOUND ? " (records go to the address of the server's ingest.listen)" : "";
    String message = message(body).strip();
    return new IOException(
        "cannot send to "
            + url
            + ": status "
            + status
            + (message.isEmpty() ? "" : ": " + message)
            + hint);
  }

  /** What the server says is wrong. */
  static String message(String body) {
    try {
      return JSON.readTree(body).path("error").path("message").asText(body);
    } catch (JsonProcessingException e) {
      return body; // it is no Millrace
    }
  }

  private static String reason(URI url, Throwable cause) {
    for (Throwable one = cause; one != null; one = one.getCause()) {
      if (one instanceof UnknownHostException || one instanceof UnresolvedAddressException) {
        return "no host has the name " + url.getHost();
      }
      if ("http".equals(url.getScheme())
          && (one instanceof EOFException || one instanceof ProtocolException)) {
        return "it ended the connection, or does not speak HTTP; if it wants TLS, write https://";
      }
    }
    if (cause instanceof HttpTimeoutException || cause instanceof SocketTimeoutException) {
      return "it does not answer; if it takes few connections (ingest.max-connections), send less at"
          + " a time with --in-flight";
    }
    if (cause instanceof ConnectException) {
      return "connection refused, nothing listens there (see ingest.listen of the server)";
    }
    if (cause instanceof SSLHandshakeException) {
      return "its certificate is not trusted; name it with --cacert: " + cause.getMessage();
    }
    if (cause instanceof SSLException) {
      return "it does not speak TLS, write http:// (" + cause.getMessage() + ")";
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
