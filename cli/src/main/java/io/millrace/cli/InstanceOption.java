package io.millrace.cli;

import picocli.CommandLine.Option;

/** Which running instance a command talks to. */
final class InstanceOption {
  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "${env:MILLRACE_URL:-http://127.0.0.1:8080}",
      description = "The running instance; ${DEFAULT-VALUE} by default.")
  private String url;

  ApiClient client() {
    return new ApiClient(url);
  }
}
