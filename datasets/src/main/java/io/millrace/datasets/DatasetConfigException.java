package io.millrace.datasets;

/** An invalid declaration; the message has key, value and allowed values. */
public final class DatasetConfigException extends IllegalArgumentException {
  /**
   * Creates an exception with the message {@code where: what}.
   *
   * @param where path of the key, as {@code datasets.asn.kind}
   * @param what value and allowed values
   */
  public DatasetConfigException(String where, String what) {
    super(where + ": " + what);
  }
}
