package io.millrace.cli;

import io.millrace.cli.config.FilePaths;
import java.io.IOException;
import picocli.CommandLine.Option;

final class InstanceOption {
  static final String DEFAULT_URL = "http://127.0.0.1:8080";

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "${env:MILLRACE_URL:-" + DEFAULT_URL + "}",
      description = "URL of the running instance; ${DEFAULT-VALUE} by default.")
  private String url;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      defaultValue = "${env:MILLRACE_TOKEN:-}",
      description =
          "API token (http.token). Prefer the environment variable MILLRACE_TOKEN, which other "
              + "users cannot see.")
  private String token;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      defaultValue = "${env:MILLRACE_CACERT:-}",
      description =
          "PEM file of trusted certificates, for an instance with a self-signed one; "
              + "MILLRACE_CACERT by default, else the certificates that Java trusts.")
  private String trusted;

  ApiClient client() throws IOException {
    return new ApiClient(url, token, trusted.isEmpty() ? null : FilePaths.parse(trusted));
  }
}
