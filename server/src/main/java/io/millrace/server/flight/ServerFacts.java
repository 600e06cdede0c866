package io.millrace.server.flight;

import io.millrace.pulse.DataVersion;
import io.millrace.store.StoreConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedCaseSensitivity;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedTransaction;

final class ServerFacts {
  private ServerFacts() {}

  static SqlInfoBuilder of(StoreConfig limits, int maxQueries) {
    return new SqlInfoBuilder()
        .withFlightSqlServerName("Millrace")
        .withFlightSqlServerVersion(DataVersion.CURRENT.release())
        .withFlightSqlServerArrowVersion(arrowVersion())
        .withFlightSqlServerReadOnly(true)
        .withFlightSqlServerSql(true)
        .withFlightSqlServerSubstrait(false)
        .withFlightSqlServerTransaction(SqlSupportedTransaction.SQL_SUPPORTED_TRANSACTION_NONE)
        .withFlightSqlServerCancel(true)
        .withFlightSqlServerBulkIngestion(false)
        .withFlightSqlServerStatementTimeout(
            (int) Math.min(Integer.MAX_VALUE, limits.queryTimeLimit().toMillis()))
        .withFlightSqlServerTransactionTimeout(0)
        .withSqlIdentifierQuoteChar("\"")
        .withSqlSearchStringEscape("\\")
        .withSqlExtraNameCharacters("")
        .withSqlCatalogTerm("database")
        .withSqlSchemaTerm("schema")
        .withSqlProcedureTerm("")
        .withSqlCatalogAtStart(true)
        .withSqlDdlCatalog(false)
        .withSqlDdlSchema(false)
        .withSqlDdlTable(false)
        .withSqlIdentifierCase(SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE)
        .withSqlQuotedIdentifierCase(
            SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE)
        .withSqlAllTablesAreSelectable(true)
        .withSqlSupportsColumnAliasing(true)
        .withSqlSupportsTableCorrelationNames(true)
        .withSqlSupportsExpressionsInOrderBy(true)
        .withSqlSupportsOrderByUnrelated(true)
        .withSqlSupportsLikeEscapeClause(true)
        .withSqlCorrelatedSubqueriesSupported(true)
        .withSqlTransactionsSupported(false)
        .withSqlBatchUpdatesSupported(false)
        .withSqlSavepointsSupported(false)
        .withSqlNamedParametersSupported(false)
        .withSqlMaxStatements(maxQueries);
  }

  /** Version from the artifact's Maven properties, which are also in a merged jar. */
  private static String arrowVersion() {
    Properties facts = new Properties();
    try (InputStream in =
        SqlInfoBuilder.class.getResourceAsStream(
            "/META-INF/maven/org.apache.arrow/flight-sql/pom.properties")) {
      if (in != null) {
        facts.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return facts.getProperty("version", "unknown");
  }
}
