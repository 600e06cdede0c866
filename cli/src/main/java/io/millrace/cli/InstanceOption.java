package io.millrace.cli;

import io.millrace.cli.config.FilePaths;
import java.io.IOException;
import picocli.CommandLine.Option;

/** Which running instance a command talks to. */
final class InstanceOption {
  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "${env:MILLRACE_URL:-http://127.0.0.1:8080}",
      description = "The running instance; ${DEFAULT-VALUE} by default.")
  private String url;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      defaultValue = "${env:MILLRACE_TOKEN:-}",
      description =
          "The token that the instance wants (http.token); better kept in the environment variable"
              + " MILLRACE_TOKEN, where other users do not see it.")
  private String token;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      defaultValue = "${env:MILLRACE_CACERT:-}",
      description =
          "PEM file of the certificates to trust, for an instance whose own one nobody else vouches"
              + " for; MILLRACE_CACERT by default, else those that Java trusts.")
  private String trusted;

  ApiClient client() throws IOException {
    return new ApiClient(url, token, trusted.isEmpty() ? null : FilePaths.parse(trusted));
  }
}
