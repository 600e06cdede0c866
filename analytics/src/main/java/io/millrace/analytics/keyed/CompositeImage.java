package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;
import java.io.IOException;
import java.util.List;

/** Several images as one: empty where all are, and otherwise all of them, empty or not. */
record CompositeImage(List<KeyedImage> images) implements KeyedImage {
  @Override
  public boolean isEmpty(int group) {
    return images.stream().allMatch(image -> image.isEmpty(group));
  }

  @Override
  public void write(int group, BlockBuffer out) throws IOException {
    for (KeyedImage image : images) {
      image.write(group, out);
    }
  }

  @Override
  public void release() {
    images.forEach(KeyedImage::release);
  }
}
