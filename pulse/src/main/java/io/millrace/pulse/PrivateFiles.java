package io.millrace.pulse;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Creates files and directories that only their owner can access (0600, 0700), ignoring the umask.
 */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(EnumSet.copyOf(PosixFilePermissions.fromString("rwx------")));

  private PrivateFiles() {}

  /** Creates a new file for writing. */
  public static FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), only("rw-------"));
  }

  /** Creates a directory and missing parents; the parents' permissions follow the umask. */
  public static void createDirectories(Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath();
    if (Files.isDirectory(absolute)) {
      return;
    }
    Files.createDirectories(absolute.getParent());
    Files.createDirectories(absolute, only("rwx------"));
  }

  /** Whether other users have access to an existing file or directory. */
  public static boolean isOpen(Path path) throws IOException {
    return isPosix() && Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
  }

  private static FileAttribute<?>[] only(String permissions) {
    return isPosix()
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
  }
}
