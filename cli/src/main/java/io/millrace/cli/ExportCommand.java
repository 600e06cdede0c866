package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.Instants;
import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.Plural;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "export",
    description = {
      "Export rows of the running instance as Parquet files, one directory for each day (UTC): "
          + "DIR/day=2026-01-31/*.parquet. Fails without writing if a day has files already, "
          + "unless --overwrite is given. Files are named *.part until their day is complete."
    },
    footer = {
      "",
      "  millrace export --from 2026-01-01 --to 2026-02-01 -o flows-january",
      "  duckdb -c \"SELECT day, sum(bytes) FROM 'flows-january/*/*.parquet' GROUP BY day\""
    })
final class ExportCommand implements Callable<Integer> {
  /** Maximum rows of a file; a single hour may exceed it. */
  private static final long FILE_ROWS = 2_000_000;

  private static final String PARQUET = ".parquet";
  private static final DateTimeFormatter DAY = format("uuuu-MM-dd");
  private static final DateTimeFormatter NAME = format("uuuuMMdd'T'HHmmss'Z'");

  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "T",
      description = "Start by arrival time, inclusive.")
  private String from;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "T",
      description = "End by arrival time, exclusive.")
  private String to;

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "DIR",
      description = "Output directory, created if missing.")
  private Path directory;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      defaultValue = "flows",
      description = "Table of flows; flows by default.")
  private String table;

  @Option(names = "--overwrite", description = "Replace existing files of a day.")
  private boolean overwrite;

  private record Part(Instant from, Instant to, long rows) {
    Path folder(Path directory) {
      return directory.resolve("day=" + DAY.format(from));
    }
  }

  private static DateTimeFormatter format(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  @Override
  public Integer call() throws IOException {
    Instant first = Instants.parse("--from", from);
    Instant end = Instants.parse("--to", to);
    if (!first.isBefore(end)) {
      throw new UsageException("--from " + from + " is not earlier than --to " + to);
    }
    ApiClient client = instance.client();
    List<Part> parts = parts(client, first, end);
    long total = parts.stream().mapToLong(Part::rows).sum();
    long rows = 0;
    try (Progress progress = new Progress("export")) {
      Files.createDirectories(directory); // even if there are no rows
      for (List<Part> day : days(parts)) {
        rejectExisting(day.get(0).folder(directory));
      }
      for (List<Part> day : days(parts)) {
        Path folder = day.get(0).folder(directory);
        List<Path> before = parquet(folder);
        List<Path> complete = new ArrayList<>();
        try {
          Files.createDirectories(folder);
          for (Part part : day) {
            Path partial = folder.resolve("." + table + "-" + NAME.format(part.from()) + ".part");
            complete.add(partial);
            rows += download(client, part, partial);
            progress.update(rows, rows, total);
          }
          for (Path old : before) {
            Files.delete(old);
          }
          for (Path partial : complete) {
            Files.move(partial, named(partial), StandardCopyOption.ATOMIC_MOVE);
          }
        } finally {
          for (Path partial : complete) {
            Files.deleteIfExists(partial);
          }
        }
      }
    } catch (FileSystemException e) {
      throw new IOException("cannot write " + e.getFile() + ": " + reason(e), e);
    }
    spec.commandLine()
        .getOut()
        .printf(
            "%s in %s of %s%n",
            Plural.of(rows, "row"),
            Plural.of(parts.size(), "file"),
            Plural.of(days(parts).size(), "day"));
    spec.commandLine().getOut().flush();
    return 0;
  }

  private static String reason(FileSystemException e) {
    return e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
  }

  private static Path named(Path partial) {
    String name = partial.getFileName().toString();
    return partial.resolveSibling(name.substring(1, name.length() - ".part".length()) + PARQUET);
  }

  private long download(ApiClient client, Part part, Path file) throws IOException {
    return client.download(
        "/api/v1/export",
        Map.of("table", table, "from", part.from().toString(), "to", part.to().toString()),
        file);
  }

  private void rejectExisting(Path folder) throws IOException {
    if (!overwrite && !parquet(folder).isEmpty()) {
      throw new IOException(
          folder
              + " has files already; choose another directory, or replace them with --overwrite");
    }
  }

  private static List<Path> parquet(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(PARQUET)).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private List<Part> parts(ApiClient client, Instant first, Instant end) throws IOException {
    String sql =
        "SELECT epoch_ms(date_trunc('hour', time)) AS hour, count(*) AS n FROM \"%s\" WHERE time >= '%s' AND time < '%s' GROUP BY 1 ORDER BY 1"
            .formatted(table.replace("\"", "\"\""), sql(first), sql(end));
    JsonNode response =
        client.post("/api/v1/sql", Map.of("sql", sql, "scan", true, "engine", "duckdb"));
    List<Part> parts = new ArrayList<>();
    for (JsonNode row : response.path("rows")) {
      Instant hour = Instant.ofEpochMilli(row.path(0).asLong());
      Instant next = hour.plus(1, ChronoUnit.HOURS);
      Part part =
          new Part(
              hour.isBefore(first) ? first : hour,
              next.isAfter(end) ? end : next,
              row.path(1).asLong());
      Part last = parts.isEmpty() ? null : parts.get(parts.size() - 1);
      boolean joins =
          last != null
              && last.rows() + part.rows() <= FILE_ROWS
              && DAY.format(last.from()).equals(DAY.format(part.from()));
      if (joins) {
        parts.set(parts.size() - 1, new Part(last.from(), part.to(), last.rows() + part.rows()));
      } else {
        parts.add(part);
      }
    }
    return parts;
  }

  private static String sql(Instant time) {
    return time.toString().replace("T", " ").replace("Z", "");
  }

  private static List<List<Part>> days(List<Part> parts) {
    List<List<Part>> days = new ArrayList<>();
    String day = "";
    for (Part part : parts) {
      if (!DAY.format(part.from()).equals(day)) {
        days.add(new ArrayList<>());
        day = DAY.format(part.from());
      }
      days.get(days.size() - 1).add(part);
    }
    return days;
  }
}
