package io.millrace.cli;

import io.millrace.cli.BackupFiles.StoredFile;
import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.Plural;
import io.millrace.cli.print.Si;
import io.millrace.pulse.DataVersion;
import io.millrace.pulse.PrivateFiles;
import io.millrace.server.runtime.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "restore",
    description = {
      "Copy a backup into a data directory without a store, and verify each file. Start the "
          + "instance afterwards. If the directory still has the log, rows that arrived after the "
          + "backup are restored from the log."
    },
    footer = {"", "  millrace restore /backup/monday --data /var/lib/millrace/data"})
final class RestoreCommand implements Callable<Integer> {
  private static final String STORE = "store";
  private static final String LEDGER = "ledger";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "Backup to restore.")
  private Path backup;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "Data directory of the instance, created if missing.")
  private Path data;

  @Override
  public Integer call() throws IOException {
    BackupFiles list = BackupFiles.read(backup);
    DataDirectory.checkVersion(data); // the existing log may be of a later release
    Path store = data.resolve(STORE);
    if (!BackupFiles.isFree(store)) {
      throw new UsageException(
          store
              + " has a store; stop the instance and move the store away, or choose another --data");
    }
    Path partial = BackupFiles.partial(store);
    BackupFiles.delete(partial);
    PrivateFiles.createDirectories(data);
    PrivateFiles.createDirectories(partial);
    long[] done = new long[1];
    int[] files = new int[1];
    try (Progress progress = new Progress("restore")) {
      for (StoredFile file : list.files()) {
        StoredFile copied =
            BackupFiles.copy(
                backup,
                file.path(),
                partial,
                bytes -> {
                  done[0] += bytes;
                  progress.update(files[0], done[0], list.bytes());
                });
        if (!copied.equals(file)) {
          throw new IOException(
              "%s is damaged: %,d bytes, SHA-256 %s; the backup has %,d bytes, SHA-256 %s"
                  .formatted(
                      backup.resolve(file.path()),
                      copied.bytes(),
                      copied.sha256(),
                      file.bytes(),
                      file.sha256()));
        }
        files[0]++;
      }
    }
    Path ledger = partial.resolve(LEDGER);
    if (Files.exists(ledger)) { // counters of the collector
      Files.move(ledger, data.resolve(LEDGER), StandardCopyOption.REPLACE_EXISTING);
    }
    takeVersion(list, partial);
    BackupFiles.complete(partial, store);
    spec.commandLine()
        .getOut()
        .printf(
            "%s, %s, of %s in %s%n",
            Plural.of(files[0], "file"), Si.format((double) done[0], "B"), list.created(), store);
    spec.commandLine().getOut().flush();
    return 0;
  }

  /** Sets the version of the directory to the later one of its own and the backup's. */
  private void takeVersion(BackupFiles list, Path partial) throws IOException {
    Files.deleteIfExists(partial.resolve(DataVersion.FILE));
    Optional<DataVersion> own = DataVersion.read(data);
    if (own.isEmpty() || own.get().format() < list.version().format()) {
      list.version().write(data);
    }
  }
}
