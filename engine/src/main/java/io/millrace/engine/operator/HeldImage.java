package io.millrace.engine.operator;

import io.millrace.analytics.keyed.KeyedImage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An image with several readers: who writes it, who may compare a later one with it. It is released
 * when the last has let go. Thread-safe.
 */
final class HeldImage {
  private final KeyedImage image;
  private final AtomicInteger holders = new AtomicInteger(1);

  /** Held by who makes it. */
  HeldImage(KeyedImage image) {
    this.image = image;
  }

  KeyedImage image() {
    return image;
  }

  /** One more holder; only called by who holds it. */
  HeldImage hold() {
    holders.incrementAndGet();
    return this;
  }

  void letGo() {
    if (holders.decrementAndGet() == 0) {
      image.release();
    }
  }
}
