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

/** Options of commands that send records: to which server, and what makes the two trust. */
final class IngestServer {
  @Option(
      names = "--url",
      required = true,
      paramLabel = "URL",
      description = "The server (ingest.listen): http://HOST:PORT, or https://HOST:PORT.")
  private String url;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      defaultValue = "${env:MILLRACE_TOKEN:-}",
      description =
          "The token that the server wants; better kept in the environment variable MILLRACE_TOKEN,"
              + " where other users do not see it.")
  private String token;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      defaultValue = "${env:MILLRACE_CACERT:-}",
      description = "PEM file of the certificates to trust; those that Java trusts by default.")
  private String trusted;

  /**
   * Where the server is.
   *
   * @throws UsageException if that is no address of one
   */
  URI uri() {
    try {
      URI server = new URI(url);
      if (server.getHost() != null && String.valueOf(server.getScheme()).matches("https?|wss?")) {
        return server;
      }
    } catch (URISyntaxException e) {
      // told below, with what is allowed
    }
    throw new UsageException("--url " + url + " is not http://HOST:PORT or https://HOST:PORT");
  }

  Optional<String> token() {
    return token.isEmpty() ? Optional.empty() : Optional.of(token);
  }

  /** The certificates to trust, if they are not those that Java trusts. */
  Optional<SSLContext> tls() throws IOException {
    return trusted.isEmpty()
        ? Optional.empty()
        : Optional.of(TrustedCertificates.of(FilePaths.parse(trusted)));
  }

  /**
   * Says what became of the records; gives the status to exit with.
   *
   * @param complaint of the server, about the first that it refused
   */
  static int report(
      PrintWriter err, long accepted, long refused, String complaint, double seconds) {
    err.printf(
        Locale.ROOT,
        "millrace: %d records acknowledged in %.1f s, %.0f a second%n",
        accepted,
        seconds,
        accepted / seconds);
    if (refused > 0) {
      err.printf("millrace: %d records refused, the first: %s%n", refused, complaint);
    }
    return refused > 0 ? 1 : 0;
  }
}
