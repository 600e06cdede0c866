package io.millrace.pipelines;

import io.millrace.store.Store;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open stores of this JVM, by name. Jobs are serialised, and look up the store of their process
 * here. Thread-safe.
 */
public final class LocalStores {
  private static final Map<String, Store> OPEN = new ConcurrentHashMap<>();

  private LocalStores() {}

  /** Registers a store; its owner closes it, after {@link #remove}. */
  public static void add(String name, Store store) {
    if (OPEN.putIfAbsent(name, store) != null) {
      throw new IllegalStateException("a store called " + name + " is open in this process");
    }
  }

  /** Removes a store. */
  public static void remove(String name) {
    OPEN.remove(name);
  }

  static Store get(String name) {
    Store store = OPEN.get(name);
    if (store == null) {
      throw new IllegalStateException("no store called " + name + " is open in this process");
    }
    return store;
  }
}
