package io.millrace.lab;

import io.millrace.cli.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** One run of the command line in this process: its exit status and output. */
record CommandLineRun(int status, String out, String err) {
  static CommandLineRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = LabCommand.commandLine();
    int status = Main.run(line, new PrintWriter(out), new PrintWriter(err), arguments);
    return new CommandLineRun(status, out.toString(), err.toString());
  }
}
