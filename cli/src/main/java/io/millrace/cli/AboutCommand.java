package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "about",
    description = {
      "Print the version, the Java runtime and, with --licenses, every library in the jar with "
          + "its version and licences.",
      "",
      "The jar contains the same list in CycloneDX format (META-INF/sbom/millrace.cdx.json) and "
          + "the licence texts (META-INF/licenses)."
    })
final class AboutCommand implements Callable<Integer> {
  /** Bill of materials in CycloneDX 1.6 JSON, written by the build. */
  static final String BILL_OF_MATERIALS = "/META-INF/sbom/millrace.cdx.json";

  private static final List<RowPrinter.Column> COLUMNS =
      List.of(
          new RowPrinter.Column("library", false),
          new RowPrinter.Column("version", false),
          new RowPrinter.Column("licenses", false));

  @Spec private CommandSpec spec;

  @Option(names = "--licenses", description = "List the libraries in the jar.")
  private boolean licenses;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "table, tsv, csv or json; table by default.")
  private RowFormat format = RowFormat.TABLE;

  record Library(String name, String version, String licenses) {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    if (licenses) {
      RowPrinter printer = RowPrinter.of(format, out);
      printer.header(COLUMNS);
      for (Library library : libraries()) {
        printer.row(new String[] {library.name(), library.version(), library.licenses()});
      }
      printer.end();
      return 0;
    }
    out.println(new MillraceCommand.Version().getVersion()[0] + ", Apache-2.0");
    out.println(
        "Java %s (%s), %s %s, %s"
            .formatted(
                System.getProperty("java.version"),
                System.getProperty("java.vendor"),
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch")));
    out.println("millrace about --licenses lists the libraries in the jar.");
    out.flush();
    return 0;
  }

  static List<Library> libraries() throws IOException {
    List<Library> libraries = new ArrayList<>();
    try (InputStream in = AboutCommand.class.getResourceAsStream(BILL_OF_MATERIALS)) {
      if (in == null) {
        throw new IOException(
            "no list of libraries in these classes: the build writes it into the jar; run "
                + "./millrace build");
      }
      for (JsonNode component : new ObjectMapper().readTree(in).path("components")) {
        String group = component.path("group").asText();
        if (!group.equals("io.millrace")) {
          libraries.add(
              new Library(
                  group + ":" + component.path("name").asText(),
                  component.path("version").asText(),
                  licenses(component)));
        }
      }
    }
    libraries.sort(Comparator.comparing(Library::name));
    return libraries;
  }

  private static String licenses(JsonNode component) {
    List<String> names = new ArrayList<>();
    for (JsonNode choice : component.path("licenses")) {
      JsonNode license = choice.path("license");
      names.add(
          choice.has("expression")
              ? choice.path("expression").asText()
              : license.path("id").asText(license.path("name").asText()));
    }
    return String.join(", ", names);
  }
}
