package io.millrace.pipelines;

import io.millrace.store.Store;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The stores that are open in this JVM, by name: a job travels as bytes and finds the store of its
 * process here. Safe for use by many threads.
 */
public final class LocalStores {
  private static final Map<String, Store> OPEN = new ConcurrentHashMap<>();

  private LocalStores() {}

  /** Makes a store known; whoever opened it closes it, after {@link #remove}. */
  public static void add(String name, Store store) {
    if (OPEN.putIfAbsent(name, store) != null) {
      throw new IllegalStateException("a store called " + name + " is open in this process");
    }
  }

  /** Forgets a store. */
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
