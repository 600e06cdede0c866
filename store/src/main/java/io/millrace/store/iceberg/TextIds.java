package io.millrace.store.iceberg;

/** Gives texts the ids that are stored. */
@FunctionalInterface
public interface TextIds {
  /** Replaces the first {@code n} ids by those that are stored, in place. */
  void toStored(long[] ids, int n);
}
