package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.ApiException;
import io.millrace.cli.console.Instants;
import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.Plural;
import io.millrace.pipelines.imports.FlowFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "import",
    description = {
      "Import historical files into the running instance with their original times: captures "
          + "(pcap, pcapng) of sFlow, NetFlow and IPFIX datagrams or of packets, nfcapd files "
          + "(nfdump 1.6 and 1.7), Parquet files of millrace export, and, with a mapping, CSV "
          + "and Parquet of other programs. Rows are joined with the data sets, as live rows are.",
      "",
      "A file is identified by its content and stored once in a table. An interrupted import "
          + "resumes where it stopped. Rows older than store.retention.rows only enter the "
          + "rollups of flows; rows imported with --table are kept."
    },
    footer = {
      "",
      "  millrace import nfcapd.202601*",
      "  millrace import collector.pcap --table january",
      "  millrace import packets.csv --mapping exchange-point",
      "  millrace sql \"SELECT * FROM imports\""
    })
final class ImportCommand implements Callable<Integer> {
  private static final String PATH = "/api/v1/import/file";
  private static final long POLL_MILLIS = 100;

  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Files, or directories whose files are all imported.")
  private List<Path> sources;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      defaultValue = "flows",
      description = "Table of flows, created if missing; flows by default.")
  private String table;

  @Option(
      names = "--mapping",
      paramLabel = "MAPPING",
      description =
          "Mapping of the columns of a CSV or Parquet file to columns of flows: exchange-point, "
              + "netdata, sflowtool, or a YAML file.")
  private String mapping;

  @Option(
      names = "--time",
      paramLabel = "TIME",
      description = "Time of all rows, for files without times, such as 2026-01-31T12:00:00Z.")
  private String time;

  private long rows;
  private long skipped;
  private int stored;

  @Override
  public Integer call() throws IOException {
    ApiClient client = instance.client();
    Map<String, String> options = options();
    int status = 0;
    List<Path> files = files();
    for (Path file : files) {
      String problem = importFile(client, options, file);
      if (!problem.isEmpty()) {
        status = 1;
        out().flush();
        spec.commandLine().getErr().println("millrace: " + file + ": " + problem);
      }
    }
    out()
        .printf(
            Locale.ROOT,
            "%s from %s into %s; %,d %s stored already%n",
            Plural.of(rows, "row"),
            Plural.of(stored, "file"),
            table,
            skipped,
            skipped == 1 ? "was" : "were");
    out().flush();
    return status;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private Map<String, String> options() throws IOException {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("table", table);
    if (mapping != null) {
      boolean isFile = mapping.endsWith(".yaml") || mapping.endsWith(".yml");
      options.put("mapping", isFile ? Files.readString(Path.of(mapping)) : mapping);
    }
    if (time != null) {
      options.put("time", Instants.parse("--time", time).toString());
    }
    return options;
  }

  /** All files, sorted by name, which mostly is chronological. */
  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path source : sources) {
      if (!Files.exists(source)) {
        throw new IOException(source + ": no such file");
      }
      if (!Files.isDirectory(source)) {
        files.add(source);
        continue;
      }
      try (Stream<Path> all = Files.walk(source)) {
        all.filter(Files::isRegularFile).sorted().forEach(files::add);
      }
    }
    if (files.isEmpty()) {
      throw new UsageException(sources.get(0) + " contains no files");
    }
    return files;
  }

  private String importFile(ApiClient client, Map<String, String> options, Path file) {
    try (Progress progress = new Progress(file.getFileName().toString())) {
      if (mapping == null && FlowFiles.isParquet(file)) {
        return importExport(client, file);
      }
      return importFile(client, options, file, progress);
    } catch (ApiException e) {
      return e.inOneLine();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private String importExport(ApiClient client, Path file) throws IOException {
    JsonNode response = client.upload("/api/v1/import", Map.of("table", table), file);
    rows += response.path("added").asLong();
    skipped += response.path("skipped").asLong();
    stored++;
    return "";
  }

  private String importFile(
      ApiClient client, Map<String, String> options, Path file, Progress progress)
      throws IOException {
    String sha256 = sha256(file, progress);
    Map<String, String> identity = Map.of("table", table, "sha256", sha256);
    JsonNode response = client.get(PATH, identity);
    boolean wasThere = isOver(response);
    if (!wasThere) {
      Map<String, String> parameters = new LinkedHashMap<>(options);
      parameters.put("name", file.getFileName().toString());
      parameters.put("sha256", sha256);
      response = client.uploadBytes(PATH, parameters, file);
      wasThere = isOver(response);
    }
    while (response.path("state").asText().equals("running")) {
      progress.update(
          response.path("rows").asLong(),
          response.path("position").asLong(),
          response.path("bytes").asLong());
      pause();
      response = client.get(PATH, identity);
    }
    return report(file, response, wasThere);
  }

  private static boolean isOver(JsonNode response) {
    String state = response.path("state").asText();
    return state.equals("done") || state.equals("damaged");
  }

  /** Prints the result for a file; returns the problem, or an empty text. */
  private String report(Path file, JsonNode response, boolean wasThere) {
    String state = response.path("state").asText();
    String problem = response.path("problem").asText();
    long count = response.path("rows").asLong();
    if (!isOver(response)) {
      return problem.isEmpty() ? "the import is " + state : problem;
    }
    if (wasThere) {
      out()
          .printf(
              Locale.ROOT,
              "%s: already stored as %s, %s%n",
              file.getFileName(),
              response.path("file").asText(),
              Plural.of(count, "row"));
      skipped += count;
      return "";
    }
    rows += count;
    stored++;
    long rejected = response.path("rejected").asLong();
    out()
        .printf(
            Locale.ROOT,
            "%s: %s (%s)%s%n",
            file.getFileName(),
            Plural.of(count, "row"),
            response.path("format").asText(),
            rejected == 0
                ? ""
                : String.format(
                    Locale.ROOT,
                    "; %,d rejected%s",
                    rejected,
                    state.equals("damaged") ? "" : ": " + problem));
    return state.equals("damaged") ? "damaged: " + problem : "";
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted; the instance continues the import", e);
    }
  }

  private static String sha256(Path file, Progress progress) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // required of every JDK
    }
    long size = Files.size(file);
    long read = 0;
    byte[] piece = new byte[1 << 16];
    try (InputStream in = Files.newInputStream(file)) {
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        digest.update(piece, 0, n);
        read += n;
        progress.update(0, read, size);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
