package io.millrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** One run of the command line in this process: its exit status and what it printed. */
public record CommandLineRun(int status, String out, String err) {
  /** Runs the command line with these words. */
  public static CommandLineRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = into(out, err, arguments);
    return new CommandLineRun(status, out.toString(), err.toString());
  }

  /** The same into writers that may be looked at meanwhile; its exit status. */
  public static int into(StringWriter out, StringWriter err, String... arguments) {
    return Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
  }
}
