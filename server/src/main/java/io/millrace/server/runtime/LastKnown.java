package io.millrace.server.runtime;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A value from the store; while the store is reopening, the last value, so that status and metrics
 * do not block. Thread-safe.
 */
final class LastKnown<T> implements Supplier<T> {
  private final BooleanSupplier isOpen;
  private final Supplier<T> source;
  private volatile T last;

  LastKnown(BooleanSupplier isOpen, Supplier<T> source) {
    this.isOpen = isOpen;
    this.source = source;
  }

  @Override
  public T get() {
    T known = last;
    if (known == null || isOpen.getAsBoolean()) {
      known = source.get();
      last = known;
    }
    return known;
  }
}
