package io.millrace.datasets;

/** A declaration that cannot be meant: says what, where, which value, and what is allowed. */
public final class DatasetConfigException extends IllegalArgumentException {
  /**
   * Makes the message {@code where: what}.
   *
   * @param where path of the key, as {@code datasets.asn.kind}
   * @param what the value and what is allowed
   */
  public DatasetConfigException(String where, String what) {
    super(where + ": " + what);
  }
}
