package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.ChildProcess;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchDirectoryTest {
  @TempDir Path parent;

  @Test
  void theDirectoryIsDeletedWithItsContents() throws IOException {
    Path path;
    try (ScratchDirectory scratch = ScratchDirectory.within(parent.resolve("data"), "bench-")) {
      path = scratch.path();
      Files.writeString(Files.createDirectories(path.resolve("a/b")).resolve("file"), "x");
    }
    assertThat(path).doesNotExist();
    assertThat(parent.resolve("data")).isEmptyDirectory();
  }

  private ChildProcess start(Class<?> main) throws IOException {
    return ChildProcess.interactive(ChildProcess.java(List.of(), main, List.of(parent.toString())));
  }

  @Test
  void theDirectoryExistsWhileResourcesCloseAfterASignal() throws Exception {
    try (ChildProcess closer = start(Closer.class)) {
      Path scratch = Path.of(closer.readLine());
      closer.terminate();
      assertThat(closer.readLine()).isEqualTo("there while closing: true");
      assertThat(closer.status()).isNotZero();
      assertThat(scratch).doesNotExist();
      assertThat(parent).isEmptyDirectory();
    }
  }

  /** A process that closes its resources when interrupted. */
  static final class Closer {
    private Closer() {}

    public static void main(String[] args) throws Exception {
      try (ScratchDirectory scratch = ScratchDirectory.within(Path.of(args[0]), "bench-")) {
        try {
          System.out.println(scratch.path());
          new CountDownLatch(1).await();
        } finally {
          System.out.println("there while closing: " + Files.exists(scratch.path()));
        }
      }
    }
  }

  @Test
  void theDirectoryIsDeletedAfterASignal() throws Exception {
    try (ChildProcess writer = start(Writer.class)) {
      Path scratch = Path.of(writer.readLine());
      assertThat(scratch).isNotEmptyDirectory();
      writer.terminate();
      assertThat(writer.status()).isNotZero();
      assertThat(scratch).doesNotExist();
      assertThat(parent).isEmptyDirectory();
    }
  }

  /** A process that keeps writing. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      try (ScratchDirectory scratch = ScratchDirectory.within(Path.of(args[0]), "bench-")) {
        Files.writeString(scratch.path().resolve("first"), "x");
        System.out.println(scratch.path());
        for (int i = 0; ; i++) {
          // not through a channel: the interrupt would close it
          try (FileOutputStream file = new FileOutputStream(scratch.path() + "/file" + i % 1_000)) {
            file.write('x');
          }
        }
      }
    }
  }
}
