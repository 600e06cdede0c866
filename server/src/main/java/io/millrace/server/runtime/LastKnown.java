package io.millrace.server.runtime;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A value read from the store, or the last one while the store is being opened again, so that
 * status and metrics do not wait for it. Thread-safe.
 */
final class LastKnown<T> implements Supplier<T> {
  private final BooleanSupplier isOpen;
  private final Supplier<T> source;
  private volatile T last;

  /**
   * @param isOpen whether the store answers at once
   * @param source asks the store
   */
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
