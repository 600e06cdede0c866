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
  public boolean hasChangesSince(KeyedImage before) {
    if (!(before instanceof CompositeImage other) || other.images.size() != images.size()) {
      return false;
    }
    for (int i = 0; i < images.size(); i++) {
      if (!images.get(i).hasChangesSince(other.images.get(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean writeChanges(int group, KeyedImage before, BlockBuffer out) throws IOException {
    List<KeyedImage> others = ((CompositeImage) before).images;
    boolean changed = false;
    for (int i = 0; i < images.size(); i++) {
      changed |= images.get(i).writeChanges(group, others.get(i), out);
    }
    return changed;
  }

  @Override
  public void release() {
    images.forEach(KeyedImage::release);
  }
}
