package io.millrace.store.duckdb;

/**
 * How columns are compressed when they are written. DuckDB picks a method for each column segment
 * by the size that it would have; these settings narrow the choice. What is stored stays readable
 * with any of them. A method that is forced is used for the types that it knows, others are chosen
 * as ever.
 */
public enum StoreCompression {
  /** All that DuckDB has, as it comes: what is shipped. */
  AUTO("force_compression = 'auto'"),
  /** All but run lengths. */
  NO_RUN_LENGTHS("disabled_compression_methods = 'rle'"),
  /** No compression. */
  UNCOMPRESSED("force_compression = 'uncompressed'"),
  /** Groups of integers as distances from their least, in as few bits as the largest takes. */
  BIT_PACKING("force_compression = 'bitpacking'"),
  /** Values with the number of times that they follow each other. */
  RUN_LENGTHS("force_compression = 'rle'"),
  /** Texts by Zstandard. */
  ZSTD("force_compression = 'zstd'");

  private final String setting;

  StoreCompression(String setting) {
    this.setting = setting;
  }

  String sql() {
    return "SET " + setting;
  }
}
