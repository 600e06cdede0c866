package io.millrace.server.flight;

import io.millrace.store.StoreConfig;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedCaseSensitivity;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedTransaction;

/** What clients may ask about this server. */
final class ServerFacts {
  private ServerFacts() {}

  static SqlInfoBuilder of(StoreConfig limits, int maxQueries) {
    return new SqlInfoBuilder()
        .withFlightSqlServerName("Millrace")
        .withFlightSqlServerVersion(version(ServerFacts.class, "development"))
        .withFlightSqlServerArrowVersion(version(SqlInfoBuilder.class, "unknown"))
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

  /** As the jar of the class says it. */
  private static String version(Class<?> type, String otherwise) {
    String version = type.getPackage().getImplementationVersion();
    return version == null ? otherwise : version;
  }
}
