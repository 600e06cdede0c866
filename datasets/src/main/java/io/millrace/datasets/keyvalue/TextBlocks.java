package io.millrace.datasets.keyvalue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** A section of {@link NameBlocks} with its index: start of each block, and end of the last. */
final class TextBlocks {
  private final Path file;
  private final MappedBytes blocks;
  private final long[] index;
  private final int size;

  TextBlocks(Path file, MappedBytes blocks, long[] index, int size) {
    this.file = file;
    this.blocks = blocks;
    this.index = index;
    this.size = size;
  }

  int size() {
    return size;
  }

  long heapBytes() {
    return 8L * index.length;
  }

  Reader newReader() {
    return new Reader();
  }

  final class Reader {
    private final NameBlocks.Decoder decoder = new NameBlocks.Decoder(file, blocks);

    int read(int ordinal) {
      if (ordinal < 0 || ordinal >= size) {
        throw new IndexOutOfBoundsException(ordinal + " is not within 0 to " + (size - 1));
      }
      int block = ordinal / NameBlocks.NAMES_PER_BLOCK;
      return decoder.read(index[block], index[block + 1], ordinal % NameBlocks.NAMES_PER_BLOCK);
    }

    byte[] bytes() {
      return decoder.bytes();
    }
  }

  static final class Writer {
    private final SectionFile out;
    private final long start;
    private final NameBlocks.Encoder block = new NameBlocks.Encoder();
    private long[] index = new long[1024];
    private int blocks;

    /** Starts a section at the file's current position. */
    Writer(SectionFile out) {
      this.out = out;
      start = out.position();
    }

    void add(byte[] text, int offset, int length) throws IOException {
      if (block.isFull()) {
        flush();
      }
      block.add(text, offset, length);
    }

    private void flush() throws IOException {
      mark();
      out.put(block.bytes(), 0, block.finish());
      block.clear();
    }

    private void mark() {
      if (blocks == index.length) {
        index = Arrays.copyOf(index, blocks * 2);
      }
      index[blocks++] = out.position() - start;
    }

    long[] finish() throws IOException {
      if (!block.isEmpty()) {
        flush();
      }
      mark();
      return Arrays.copyOf(index, blocks);
    }
  }
}
