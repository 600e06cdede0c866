package io.millrace.lab.peers;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Programs of Debian packages, installed on demand if the user is root and apt is available. */
public final class DebianPackages {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final List<Path> FOLDERS =
      List.of(
          Path.of("/usr/bin"),
          Path.of("/usr/sbin"),
          Path.of("/usr/local/bin"),
          Path.of("/usr/local/sbin"));

  private DebianPackages() {}

  /** The program's file; empty if it is not installed. */
  public static Optional<Path> find(String program) {
    return FOLDERS.stream()
        .map(folder -> folder.resolve(program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Installs the packages of missing programs without starting their services.
   *
   * @param packages the package of each program
   * @return why a program is missing, in one line; empty if none is
   */
  public static Optional<String> require(Map<String, String> packages) throws IOException {
    List<String> missing = missing(packages);
    if (missing.isEmpty()) {
      return Optional.empty();
    }
    Optional<Path> apt = find("apt-get");
    String user = System.getProperty("user.name");
    if (apt.isEmpty() || !"root".equals(user)) {
      return Optional.of(
          String.join(", ", missing)
              + " not installed; as root on Debian: apt-get install "
              + String.join(" ", packagesOf(missing, packages)));
    }
    List<String> install = new ArrayList<>(environment());
    install.addAll(List.of(apt.get().toString(), "install", "-y", "-q", "--no-install-recommends"));
    install.addAll(
        List.of("-o", "DPkg::Lock::Timeout=" + PATIENCE.toSeconds())); // others may be installing
    install.addAll(packagesOf(missing, packages));
    List<String> update = new ArrayList<>(environment());
    update.addAll(List.of(apt.get().toString(), "update", "-q"));
    Path output = Files.createTempFile("millrace-apt-", ".log");
    try {
      ChildProcess.run(output, PATIENCE, update);
      ChildProcess.run(output, PATIENCE, install);
      missing = missing(packages);
      return missing.isEmpty()
          ? Optional.empty()
          : Optional.of(
              String.join(", ", missing) + " could not be installed: " + lastLine(output));
    } finally {
      Files.deleteIfExists(output);
    }
  }

  private static List<String> missing(Map<String, String> packages) {
    return packages.keySet().stream().filter(p -> find(p).isEmpty()).sorted().toList();
  }

  private static List<String> packagesOf(List<String> programs, Map<String, String> packages) {
    return programs.stream().map(packages::get).distinct().sorted().toList();
  }

  /** Suppresses prompts and the start of services. */
  private static List<String> environment() {
    return List.of("/usr/bin/env", "DEBIAN_FRONTEND=noninteractive", "SYSTEMD_OFFLINE=1");
  }

  private static String lastLine(Path file) throws IOException {
    String last = "";
    for (String line : Files.readAllLines(file)) {
      last = line.isBlank() ? last : line.strip();
    }
    return last;
  }
}
