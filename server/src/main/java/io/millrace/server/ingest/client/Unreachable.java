package io.millrace.server.ingest.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** Why records could not be sent, in words that say what to do. */
final class Unreachable {
  private Unreachable() {}

  /** The failure to tell, with its cause. */
  static IOException because(URI url, Throwable cause) {
    return new IOException("cannot send to " + url + ": " + reason(url, cause), cause);
  }

  private static String reason(URI url, Throwable cause) {
    for (Throwable one = cause; one != null; one = one.getCause()) {
      if (one instanceof UnknownHostException || one instanceof UnresolvedAddressException) {
        return "no host has the name " + url.getHost();
      }
    }
    if (cause instanceof HttpTimeoutException || cause instanceof SocketTimeoutException) {
      return "it does not answer";
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
