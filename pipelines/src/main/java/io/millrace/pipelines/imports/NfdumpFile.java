package io.millrace.pipelines.imports;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.nfdump.NfdumpReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

final class NfdumpFile implements FlowFile {
  private final CountingInput counted;
  private final NfdumpReader reader;
  private final Rejections rejections = new Rejections();

  private NfdumpFile(CountingInput counted, InputStream plain) throws IOException {
    this.counted = counted;
    reader = NfdumpReader.open(plain, rejections::add);
  }

  static NfdumpFile open(FileContent content) throws IOException {
    CountingInput counted = content.open();
    try {
      return new NfdumpFile(counted, new BufferedInputStream(content.plain(counted), 1 << 16));
    } catch (IOException | RuntimeException e) {
      counted.close();
      throw e;
    }
  }

  @Override
  public String format() {
    return "nfdump";
  }

  @Override
  public boolean next(int partition, long offset, Consumer<FlowBlock> out) throws IOException {
    return reader.next(
        block -> {
          block.logPosition(partition, offset);
          out.accept(block);
        });
  }

  @Override
  public Rejections rejections() {
    return rejections;
  }

  @Override
  public long position() {
    return counted.position();
  }

  @Override
  public void close() throws IOException {
    counted.close();
  }
}
