package io.millrace.datasets;

/** An invalid declaration; the message names the key, the offending value, and what is allowed. */
public final class DatasetConfigException extends IllegalArgumentException {
  /**
   * Creates an exception with the message {@code where: what}.
   *
   * @param where path of the key, as {@code datasets.asn.kind}
   * @param what the value and what is allowed
   */
  public DatasetConfigException(String where, String what) {
    super(where + ": " + what);
  }
}
