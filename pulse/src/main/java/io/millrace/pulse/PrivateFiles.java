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

/** Files and directories for their owner alone, whatever the umask: 0600 and 0700. */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(EnumSet.copyOf(PosixFilePermissions.fromString("rwx------")));

  private PrivateFiles() {}

  /** Makes a file that is not there, to be written. */
  public static FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), only("rw-------"));
  }

  /**
   * Makes a directory and those above it, where they are missing; the ones above it are as the
   * umask says.
   */
  public static void createDirectories(Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath();
    if (Files.isDirectory(absolute)) {
      return;
    }
    Files.createDirectories(absolute.getParent());
    Files.createDirectories(absolute, only("rwx------"));
  }

  /** Whether others than its owner may do anything with a file or directory that is there. */
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
