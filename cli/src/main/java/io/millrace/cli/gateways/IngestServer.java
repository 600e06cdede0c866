package io.millrace.cli.gateways;

import io.millrace.cli.config.FilePaths;
import io.millrace.cli.console.TrustedCertificates;
import io.millrace.cli.console.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.Option;

final class IngestServer {
  @Option(
      names = "--url",
      required = true,
      paramLabel = "URL",
      description = "Server (ingest.listen): http://HOST:PORT or https://HOST:PORT.")
  private String url;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      defaultValue = "${env:MILLRACE_TOKEN:-}",
      description =
          "Token of the server. Prefer the environment variable MILLRACE_TOKEN, which other "
              + "users cannot see.")
  private String token;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      defaultValue = "${env:MILLRACE_CACERT:-}",
      description = "PEM file of trusted certificates; those of Java by default.")
  private String trusted;

  URI uri() {
    try {
      URI server = new URI(url);
      if (server.getHost() != null && String.valueOf(server.getScheme()).matches("https?|wss?")) {
        return server;
      }
    } catch (URISyntaxException e) {
      // reported below
    }
    throw new UsageException("--url " + url + ": expected http://HOST:PORT or https://HOST:PORT");
  }

  Optional<String> token() {
    return token.isEmpty() ? Optional.empty() : Optional.of(token);
  }

  /** TLS context of the trusted certificates; empty for Java's default trust. */
  Optional<SSLContext> tls() throws IOException {
    return trusted.isEmpty()
        ? Optional.empty()
        : Optional.of(TrustedCertificates.of(FilePaths.parse(trusted)));
  }

  static int report(
      PrintWriter err, long accepted, long rejected, String firstError, double seconds) {
    err.printf(
        Locale.ROOT,
        "millrace: %d records acknowledged in %.1f s, %.0f a second%n",
        accepted,
        seconds,
        accepted / seconds);
    if (rejected > 0) {
      err.printf("millrace: %d records rejected, the first: %s%n", rejected, firstError);
    }
    return rejected > 0 ? 1 : 0;
  }
}
