package org.duckdb;

import java.sql.SQLException;

/**
 * Interrupts whatever a connection executes. The driver's {@code cancel} has an effect only while
 * that same statement is executed.
 */
public final class Interruption {
  private Interruption() {}

  /**
   * Ends the statement that is executed, if there is one; it then throws an exception. Does nothing
   * while a statement is prepared, so it must be called again.
   */
  public static void of(DuckDBConnection connection) throws SQLException {
    if (!connection.connRefLock.tryLock()) {
      return;
    }
    try {
      if (!connection.isClosed()) {
        connection.interrupt();
      }
    } finally {
      connection.connRefLock.unlock();
    }
  }
}
