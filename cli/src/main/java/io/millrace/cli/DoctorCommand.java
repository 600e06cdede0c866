package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "doctor",
    description = {
      "Received and lost datagrams, where and why they were lost, and remedies. For each "
          + "exporter:",
      "sent (by its sequence numbers) = stored + lost before arrival + dropped by the kernel"
          + " + dropped by the collector + expired in the log + malformed."
    })
final class DoctorCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Parameters(
      arity = "0..1",
      paramLabel = "EXPORTER",
      description = "Source address or agent address of an exporter; all exporters by default.")
  private String exporter;

  @Option(names = "--json", description = "Print the API's response.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    JsonNode ledger =
        instance
            .client()
            .get("/api/v1/ledger", exporter == null ? Map.of() : Map.of("exporter", exporter));
    spec.commandLine().getOut().print(json ? ledger + "\n" : ledger.path("doctor").asText());
    spec.commandLine().getOut().flush();
    return 0;
  }
}
