package io.millrace.engine.job;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.apache.flink.core.fs.RecoverableWriter;
import org.apache.flink.core.fs.local.LocalDataOutputStream;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.core.fs.local.LocalRecoverableWriter;

/**
 * Flink's local file system, for checkpoints that survive a power failure: it syncs a file and its
 * directory before the file counts as written, and a new directory together with its parent.
 * Flink's own file system syncs files but never directories, so file names may be lost.
 *
 * <p>Each file ends with a {@link FileChecksum}, so that damage is found before a job is restored
 * from it. Readers see the length without the checksum. Thread-safe.
 */
public final class SyncedFileSystem extends LocalFileSystem {
  /** Replaces Flink's local file system in every process with Millrace on its class path. */
  public static final class Factory implements FileSystemFactory {
    @Override
    public String getScheme() {
      return LocalFileSystem.getLocalFsURI().getScheme();
    }

    /** Higher than that of Flink's own file system, which is 0. */
    @Override
    public int getPriority() {
      return 1;
    }

    @Override
    public FileSystem create(URI uri) {
      return new SyncedFileSystem();
    }
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    Deque<File> made = new ArrayDeque<>();
    for (File at = pathToFile(path).getAbsoluteFile();
        at != null && !at.exists();
        at = at.getParentFile()) {
      made.push(at);
    }
    boolean isThere = super.mkdirs(path);
    for (File directory : made) {
      sync(directory.getParentFile());
    }
    return isThere;
  }

  @Override
  public FSDataOutputStream create(Path path, WriteMode overwrite) throws IOException {
    if (overwrite == WriteMode.NO_OVERWRITE && exists(path)) {
      throw new java.nio.file.FileAlreadyExistsException(path.toString());
    }
    File file = pathToFile(path).getAbsoluteFile();
    if (!mkdirs(new Path(file.getParentFile().toURI()))) {
      throw new IOException("cannot create directory " + file.getParent());
    }
    return new StateStream(file);
  }

  /** Used by Flink to write the metadata of a checkpoint under a temporary name. */
  @Override
  public LocalRecoverableWriter createRecoverableWriter() {
    return new LocalRecoverableWriter(this) {
      @Override
      public RecoverableFsDataOutputStream open(Path path) throws IOException {
        File directory = pathToFile(path).getAbsoluteFile().getParentFile();
        mkdirs(new Path(directory.toURI()));
        return new MetadataStream(super.open(path), directory);
      }
    };
  }

  private static void sync(File directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory.toPath(), StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static final class StateStream extends LocalDataOutputStream {
    private final File directory;
    private final FileChecksum checksum = new FileChecksum();
    private boolean isClosed;

    StateStream(File file) throws IOException {
      super(file);
      directory = file.getParentFile();
    }

    @Override
    public void write(int b) throws IOException {
      super.write(b);
      checksum.add(b);
    }

    @Override
    public void write(byte[] b) throws IOException {
      write(b, 0, b.length);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      super.write(b, off, len);
      checksum.add(b, off, len);
    }

    /** No-op: {@link #close} follows and syncs the whole file once. */
    @Override
    public void sync() {}

    @Override
    public void close() throws IOException {
      if (isClosed) {
        return;
      }
      isClosed = true;
      try (AutoCloseable file = super::close) {
        super.write(checksum.trailer());
        super.sync();
      } catch (IOException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
      SyncedFileSystem.sync(directory);
    }
  }

  private static final class MetadataStream extends RecoverableFsDataOutputStream {
    private final RecoverableFsDataOutputStream file;
    private final File directory;
    private final FileChecksum checksum = new FileChecksum();

    MetadataStream(RecoverableFsDataOutputStream file, File directory) {
      this.file = file;
      this.directory = directory;
    }

    @Override
    public void write(int b) throws IOException {
      file.write(b);
      checksum.add(b);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      file.write(b, off, len);
      checksum.add(b, off, len);
    }

    @Override
    public long getPos() throws IOException {
      return file.getPos();
    }

    @Override
    public void flush() throws IOException {
      file.flush();
    }

    @Override
    public void sync() throws IOException {
      file.sync();
    }

    @Override
    public RecoverableWriter.ResumeRecoverable persist() throws IOException {
      throw new UnsupportedOperationException("resuming a write is not supported");
    }

    @Override
    public Committer closeForCommit() throws IOException {
      file.write(checksum.trailer());
      Committer committer = file.closeForCommit(); // syncs the file
      return new Committer() {
        @Override
        public void commit() throws IOException {
          committer.commit();
          SyncedFileSystem.sync(directory);
        }

        @Override
        public void commitAfterRecovery() throws IOException {
          committer.commitAfterRecovery();
          SyncedFileSystem.sync(directory);
        }

        @Override
        public RecoverableWriter.CommitRecoverable getRecoverable() {
          return committer.getRecoverable();
        }
      };
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
