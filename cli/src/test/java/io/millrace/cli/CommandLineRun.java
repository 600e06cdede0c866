package io.millrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Exit status and output of a command run in this process. */
public record CommandLineRun(int status, String out, String err) {
  public static CommandLineRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = into(out, err, arguments);
    return new CommandLineRun(status, out.toString(), err.toString());
  }

  /** Runs the command line with readable writers; returns its exit status. */
  public static int into(StringWriter out, StringWriter err, String... arguments) {
    return Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
  }
}
