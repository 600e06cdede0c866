package io.millrace.store.duckdb.schema;

import io.millrace.wire.block.Addresses;
import java.math.BigInteger;
import java.sql.SQLException;
import org.duckdb.DuckDBAppender;

/**
 * Addresses on their way into and out of DuckDB, where one is a UHUGEINT: its 128 bits as an
 * unsigned number, and no address is NULL.
 *
 * <p>The driver's {@code append(BigInteger)} rejects numbers from 2¹²⁷ on, which are the addresses
 * from {@code 8000::} on; as two halves of 64 bits all of them go in.
 */
public final class AddressValues {
  private AddressValues() {}

  /** Appends an address, or NULL for none. */
  public static void append(DuckDBAppender rows, long high, long low) throws SQLException {
    if (Addresses.isNull(high, low)) {
      rows.appendNull();
    } else {
      rows.appendHugeInt(low, high);
    }
  }

  /** An address as SQL. */
  public static String literal(long high, long low) {
    BigInteger number = new BigInteger(Long.toUnsignedString(high)).shiftLeft(Long.SIZE);
    return number.or(new BigInteger(Long.toUnsignedString(low))) + "::UHUGEINT";
  }

  /** The halves of an address, upper one first, from its number as text; null is no address. */
  public static long[] halves(String number) {
    if (number == null) {
      return new long[] {Addresses.NULL, Addresses.NULL};
    }
    BigInteger value = new BigInteger(number);
    return new long[] {value.shiftRight(Long.SIZE).longValue(), value.longValue()};
  }
}
