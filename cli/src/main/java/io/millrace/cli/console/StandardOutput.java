package io.millrace.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Standard output that remembers why it could not be written. Commands print to writers, which keep
 * errors to themselves; so what failed is asked for once, when the command has ended.
 */
public final class StandardOutput extends OutputStream {
  private static final Path FILE = Path.of("/proc/self/fd/1");

  private final OutputStream out;
  private volatile IOException failure;

  private StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** That of the process. */
  public static StandardOutput ofProcess() {
    return new StandardOutput(new FileOutputStream(FileDescriptor.out));
  }

  /** Another stream in its place. */
  public static StandardOutput of(OutputStream out) {
    return new StandardOutput(out);
  }

  /** A write. */
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
   * Why something could not be written; empty if all was. A reader that has closed its pipe has
   * seen enough, which is no failure.
   */
  public Optional<String> failure() {
    IOException e = failure;
    return e == null || isReaderGone(e)
        ? Optional.empty()
        : Optional.of(String.valueOf(e.getMessage()));
  }

  /** The message is in the language of the host; a write to a pipe fails for this alone. */
  private boolean isReaderGone(IOException e) {
    return String.valueOf(e.getMessage()).contains("Broken pipe")
        || (out instanceof FileOutputStream && isPipe());
  }

  private static boolean isPipe() {
    try {
      String target = Files.readSymbolicLink(FILE).toString();
      return target.startsWith("pipe:") || target.startsWith("socket:");
    } catch (IOException | UnsupportedOperationException e) {
      return false; // another system than Linux
    }
  }
}
