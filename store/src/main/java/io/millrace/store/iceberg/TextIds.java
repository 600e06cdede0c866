package io.millrace.store.iceberg;

/** Replaces ids of texts by those that the store has for the same text. */
@FunctionalInterface
public interface TextIds {
  /** Replaces the first {@code n} ids, in place. */
  void toStored(long[] ids, int n);
}
