package io.millrace.cli;

import io.millrace.cli.config.ConfigException;
import io.millrace.cli.config.FilePaths;
import io.millrace.cli.console.ApiException;
import io.millrace.cli.console.EnumWords;
import io.millrace.cli.console.EscapingWriter;
import io.millrace.cli.console.StandardOutput;
import io.millrace.cli.console.UsageException;
import io.millrace.datasets.DatasetConfigException;
import io.millrace.pipelines.plugins.PluginException;
import io.millrace.pulse.HostDefaults;
import io.millrace.store.NearestName;
import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code millrace} command: exit status 0 for success, 1 for a failure, 2 for bad usage. */
public final class Main {
  private static final int BUFFER_CHARS = 1 << 16;

  private Main() {}

  /** Runs the command line and ends the process with its status. */
  public static void main(String[] arguments) {
    HostDefaults.set();
    main(commandLine(), arguments);
  }

  /**
   * Runs the command line of another program and ends the process with its status. Usage errors and
   * failures are printed on one line, as by {@code millrace}; the command line must have an option
   * {@code --debug}.
   */
  public static void main(CommandLine line, String[] arguments) {
    HostDefaults.set();
    PrintWriter err =
        new EscapingWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true);
    System.exit(run(line, StandardOutput.ofProcess(), err, arguments));
  }

  /** Runs the command line in this process with other streams. */
  static int run(StandardOutput output, PrintWriter err, String... arguments) {
    return run(commandLine(), output, err, arguments);
  }

  /**
   * Runs the command line; a failed write to standard output overrides the status of the command.
   */
  private static int run(
      CommandLine line, StandardOutput output, PrintWriter err, String... arguments) {
    // picocli's own writer flushes each line, which is too slow for a million rows
    PrintWriter out =
        new EscapingWriter(
            new BufferedWriter(
                new OutputStreamWriter(output, StandardCharsets.UTF_8), BUFFER_CHARS),
            false);
    int status = run(line, out, err, arguments);
    Optional<String> failure = output.failure();
    if (failure.isEmpty()) {
      return status;
    }
    err.println("millrace: cannot write to standard output: " + failure.get());
    err.flush();
    return status == 0 ? 1 : status;
  }

  /** Runs the command line in this process with other streams; flushes both. */
  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    return run(commandLine(), out, err, arguments);
  }

  private static CommandLine commandLine() {
    CommandLine line = new CommandLine(new MillraceCommand());
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroups::text);
    return line;
  }

  /** Runs a command line in this process with other streams; flushes both. */
  public static int run(CommandLine line, PrintWriter out, PrintWriter err, String... arguments) {
    line.setOut(out);
    line.setErr(err);
    EnumWords.register(line);
    line.registerConverter(Path.class, Main::path);
    line.setParameterExceptionHandler(Main::badUsage);
    line.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          if (command.getCommandSpec().root().findOption("--debug").<Boolean>getValue()) {
            e.printStackTrace(command.getErr());
          } else {
            command.getErr().println("millrace: " + oneLine(e));
          }
          return isBadUse(e) ? 2 : 1;
        });
    try {
      return line.execute(arguments);
    } finally {
      out.flush();
      err.flush();
    }
  }

  private static Path path(String text) {
    try {
      return FilePaths.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  private static boolean isBadUse(Exception e) {
    return e instanceof UsageException
        || (e instanceof ApiException rejected && rejected.isBadUse())
        || e instanceof ConfigException
        || e instanceof DatasetConfigException
        || e instanceof PluginException;
  }

  private static int badUsage(ParameterException e, String... arguments) {
    PrintWriter err = e.getCommandLine().getErr();
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    err.println(
        "millrace: "
            + e.getMessage().replace('\n', ' ')
            + meant(e)
            + "; see "
            + command
            + " --help");
    return 2;
  }

  private static String meant(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return "";
    }
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    String typed = unmatched.getUnmatched().get(0);
    Collection<String> known =
        typed.startsWith("-") ? spec.optionsMap().keySet() : spec.subcommands().keySet();
    return NearestName.of(typed, known).map("; did you mean %s?"::formatted).orElse("");
  }

  private static String what(FileSystemException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "a file of this name already exists";
    }
    return e instanceof AccessDeniedException ? "permission denied" : e.getClass().getSimpleName();
  }

  /** Message of the first exception in the chain of causes that has one. */
  private static String oneLine(Throwable e) {
    Throwable shown = e;
    while (shown.getMessage() == null && shown.getCause() != null) {
      shown = shown.getCause();
    }
    String message = shown.getMessage() == null ? shown.toString() : shown.getMessage();
    if (shown instanceof FileSystemException file && file.getReason() == null) {
      message += ": " + what(file); // the message is the file name only
    }
    return message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
