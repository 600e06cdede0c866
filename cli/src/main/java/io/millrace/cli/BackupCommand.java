package io.millrace.cli;

import io.millrace.cli.BackupFiles.StoredFile;
import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.Plural;
import io.millrace.cli.print.Si;
import io.millrace.pulse.DataVersion;
import io.millrace.pulse.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "backup",
    description = {
      "Copy the store of the running instance to a new directory: rows, rollups, counters and "
          + "tables of results, as of one moment, with a checksum of each file. Runs on the host "
          + "of the instance, which continues to run."
    },
    footer = {
      "",
      "  millrace backup /backup/monday",
      "  millrace backup /backup/tuesday --previous /backup/monday"
    })
final class BackupCommand implements Callable<Integer> {
  private static final String PATH = "/api/v1/backup";

  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Parameters(paramLabel = "DIR", description = "Directory to create, or an empty one.")
  private Path directory;

  @Option(
      names = "--previous",
      paramLabel = "DIR",
      description =
          "Earlier backup on the same file system. Files that it contains already become hard links.")
  private Path previous;

  @Override
  public Integer call() throws IOException {
    if (!BackupFiles.isFree(directory)) {
      throw new UsageException(directory + " is not empty; choose a new directory");
    }
    Map<Path, StoredFile> known = new HashMap<>();
    if (previous != null) {
      BackupFiles.read(previous).files().forEach(file -> known.put(file.path(), file));
    }
    ApiClient client = instance.client();
    Path made = Path.of(client.post(PATH, Map.of()).path("directory").asText());
    try {
      if (!Files.isDirectory(made)) {
        throw new IOException(
            made + " is not on this machine; run millrace backup on the host of the instance");
      }
      copy(made, known);
    } catch (NoSuchFileException e) {
      throw new IOException(
          e.getFile() + " was deleted: the instance has stopped, or another backup was started", e);
    } finally {
      var unused = client.delete(PATH, Map.of());
    }
    return 0;
  }

  private void copy(Path made, Map<Path, StoredFile> known) throws IOException {
    Path partial = BackupFiles.partial(directory);
    BackupFiles.delete(partial);
    PrivateFiles.createDirectories(partial);
    List<StoredFile> files = new ArrayList<>();
    List<Path> all = BackupFiles.below(made);
    long total = 0;
    for (Path path : all) {
      total += Files.size(made.resolve(path));
    }
    long bytes = total;
    long linked = 0;
    long[] done = new long[1];
    try (Progress progress = new Progress("backup")) {
      for (Path path : all) {
        StoredFile before = known.get(path);
        if (before != null && isData(path) && before.bytes() == Files.size(made.resolve(path))) {
          Files.createDirectories(partial.resolve(path).getParent());
          Files.createLink(partial.resolve(path), previous.resolve(path));
          files.add(before);
          linked += before.bytes();
          done[0] += before.bytes();
        } else {
          files.add(
              BackupFiles.copy(
                  made,
                  path,
                  partial,
                  read -> {
                    done[0] += read;
                    progress.update(files.size(), done[0], bytes);
                  }));
        }
      }
    }
    DataVersion version =
        DataVersion.read(made)
            .orElseThrow(() -> new IOException(made + " has no file " + DataVersion.FILE));
    new BackupFiles(version, Instant.now().truncatedTo(ChronoUnit.SECONDS), files).write(partial);
    BackupFiles.complete(partial, directory);
    spec.commandLine()
        .getOut()
        .printf(
            "%s, %s, in %s%s%n",
            Plural.of(files.size(), "file"),
            Si.format((double) total, "B"),
            directory,
            linked == 0
                ? ""
                : ", " + Si.format((double) linked, "B") + " of it linked to " + previous);
    spec.commandLine().getOut().flush();
  }

  /** Whether a file contains rows: then its name is unique, and its content never changes. */
  private static boolean isData(Path path) {
    return path.getFileName().toString().endsWith(".parquet");
  }
}
