package io.millrace.store.duckdb.schema;

import io.millrace.wire.block.Addresses;
import java.math.BigInteger;
import java.sql.SQLException;
import java.util.UUID;
import org.duckdb.DuckDBAppender;

/**
 * Converts addresses for DuckDB, where an address is a UHUGEINT: its 128 bits as an unsigned
 * number. NULL is no address.
 *
 * <p>The driver's {@code append(BigInteger)} rejects numbers from 2¹²⁷ on, which are the addresses
 * from {@code 8000::} on. Two halves of 64 bits work for all addresses.
 */
public final class AddressValues {
  private AddressValues() {}

  /** Appends an address, or NULL. */
  public static void append(DuckDBAppender rows, long high, long low) throws SQLException {
    if (Addresses.isNull(high, low)) {
      rows.appendNull();
    } else {
      rows.appendHugeInt(low, high);
    }
  }

  /** SQL literal of an address. */
  public static String literal(long high, long low) {
    BigInteger number = new BigInteger(Long.toUnsignedString(high)).shiftLeft(Long.SIZE);
    return number.or(new BigInteger(Long.toUnsignedString(low))) + "::UHUGEINT";
  }

  /** SQL literal of an address as it is in files. */
  public static String storedLiteral(long high, long low) {
    return "UUID '" + new UUID(high, low) + "'";
  }

  /** Halves of an address, upper one first, from its number as text; null yields no address. */
  public static long[] halves(String number) {
    if (number == null) {
      return new long[] {Addresses.NULL, Addresses.NULL};
    }
    BigInteger value = new BigInteger(number);
    return new long[] {value.shiftRight(Long.SIZE).longValue(), value.longValue()};
  }
}
