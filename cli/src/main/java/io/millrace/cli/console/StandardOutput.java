package io.millrace.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Standard output that records its first write error. Commands print to writers, which swallow
 * errors, so the error is checked when the command has ended.
 */
public final class StandardOutput extends OutputStream {
  private static final Path FILE = Path.of("/proc/self/fd/1");

  private final OutputStream out;
  private volatile IOException failure;

  private StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** Standard output of the process. */
  public static StandardOutput ofProcess() {
    return new StandardOutput(new FileOutputStream(FileDescriptor.out));
  }

  /** Another stream in place of standard output. */
  public static StandardOutput of(OutputStream out) {
    return new StandardOutput(out);
  }

  @FunctionalInterface
  private interface Write {
    void to(OutputStream out) throws IOException;
  }

  private void write(Write write) throws IOException {
    try {
      write.to(out);
    } catch (IOException e) {
      if (failure == null) {
        failure = e;
      }
      throw e;
    }
  }

  @Override
  public void write(int value) throws IOException {
    write(to -> to.write(value));
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    write(to -> to.write(bytes, offset, length));
  }

  @Override
  public void flush() throws IOException {
    write(OutputStream::flush);
  }

  /**
   * Reason of a failed write; empty if none failed. A pipe closed by its reader is not a failure.
   */
  public Optional<String> failure() {
    IOException e = failure;
    return e == null || isReaderGone(e)
        ? Optional.empty()
        : Optional.of(String.valueOf(e.getMessage()));
  }

  /**
   * Whether the reader has closed the pipe. The message may be localised, but a write to a pipe
   * fails for no other reason.
   */
  private boolean isReaderGone(IOException e) {
    return String.valueOf(e.getMessage()).contains("Broken pipe")
        || (out instanceof FileOutputStream && isPipe());
  }

  private static boolean isPipe() {
    try {
      String target = Files.readSymbolicLink(FILE).toString();
      return target.startsWith("pipe:") || target.startsWith("socket:");
    } catch (IOException | UnsupportedOperationException e) {
      return false; // not Linux
    }
  }
}
