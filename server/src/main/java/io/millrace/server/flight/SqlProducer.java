package io.millrace.server.flight;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.millrace.server.arrow.ArrowTypes;
import io.millrace.store.QueryShape;
import io.millrace.store.StoreConfig;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.SchemaResult;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.BasicFlightSqlProducer;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionBeginTransactionRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionBeginTransactionResult;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionClosePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementResult;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetDbSchemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTables;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.DoPutPreparedStatementResult;
import org.apache.arrow.flight.sql.impl.FlightSql.TicketStatementQuery;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Maps each protocol request to one call. A query returns a ticket, with which the client requests
 * the rows; tickets are {@link StatementHandle}s.
 */
final class SqlProducer extends BasicFlightSqlProducer {
  private static final long UNKNOWN = -1; // number of rows or bytes

  private final QueryStreams streams;
  private final TableList tables;
  private final BufferAllocator memory;
  private final SqlInfoBuilder facts;

  SqlProducer(QueryStreams streams, StoreConfig limits, int maxQueries, BufferAllocator memory) {
    this.streams = streams;
    this.memory = memory;
    tables = new TableList(streams);
    facts = ServerFacts.of(limits, maxQueries);
  }

  private static <T> T withFlightErrors(Supplier<T> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      throw FlightErrors.of(e);
    }
  }

  // Statements

  @Override
  public FlightInfo getFlightInfoStatement(
      CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
    return ticket(StatementHandle.of(command.getQuery()), descriptor);
  }

  @Override
  public FlightInfo getFlightInfoPreparedStatement(
      CommandPreparedStatementQuery command, CallContext context, FlightDescriptor descriptor) {
    return ticket(StatementHandle.parse(command.getPreparedStatementHandle()), descriptor);
  }

  private FlightInfo ticket(StatementHandle statement, FlightDescriptor descriptor) {
    Schema schema = schema(statement);
    TicketStatementQuery ticket =
        TicketStatementQuery.newBuilder()
            .setStatementHandle(statement.toExecution().toBytes())
            .build();
    return new FlightInfo(schema, descriptor, endpoints(ticket), UNKNOWN, UNKNOWN);
  }

  private Schema schema(StatementHandle statement) {
    return withFlightErrors(() -> ArrowTypes.schema(streams.describe(statement).columns()));
  }

  private static List<FlightEndpoint> endpoints(Message ticket) {
    return List.of(new FlightEndpoint(new Ticket(Any.pack(ticket).toByteArray())));
  }

  @Override
  protected <T extends Message> List<FlightEndpoint> determineEndpoints(
      T request, FlightDescriptor descriptor, Schema schema) {
    return endpoints(request);
  }

  @Override
  public SchemaResult getSchemaStatement(
      CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
    return new SchemaResult(schema(StatementHandle.of(command.getQuery())));
  }

  @Override
  public SchemaResult getSchemaPreparedStatement(
      CommandPreparedStatementQuery command, CallContext context, FlightDescriptor descriptor) {
    return new SchemaResult(schema(StatementHandle.parse(command.getPreparedStatementHandle())));
  }

  @Override
  public void getStreamStatement(
      TicketStatementQuery ticket, CallContext context, ServerStreamListener listener) {
    streams.start(StatementHandle.parse(ticket.getStatementHandle()), listener);
  }

  @Override
  public void getStreamPreparedStatement(
      CommandPreparedStatementQuery command, CallContext context, ServerStreamListener listener) {
    streams.start(
        StatementHandle.parse(command.getPreparedStatementHandle()).toExecution(), listener);
  }

  // Prepared statements

  @Override
  public void createPreparedStatement(
      ActionCreatePreparedStatementRequest request,
      CallContext context,
      StreamListener<Result> listener) {
    StatementHandle statement = StatementHandle.of(request.getQuery());
    QueryShape shape = withFlightErrors(() -> streams.describe(statement));
    ActionCreatePreparedStatementResult prepared =
        ActionCreatePreparedStatementResult.newBuilder()
            .setPreparedStatementHandle(statement.toBytes())
            .setDatasetSchema(bytes(ArrowTypes.schema(shape.columns())))
            .setParameterSchema(bytes(ArrowTypes.parameters(shape.parameters())))
            .build();
    listener.onNext(new Result(Any.pack(prepared).toByteArray()));
    listener.onCompleted();
  }

  private static ByteString bytes(Schema schema) {
    return ByteString.copyFrom(schema.serializeAsMessage());
  }

  @Override
  public void closePreparedStatement(
      ActionClosePreparedStatementRequest request,
      CallContext context,
      StreamListener<Result> listener) {
    listener.onCompleted(); // the server keeps no state of statements
  }

  @Override
  public Runnable acceptPutPreparedStatementQuery(
      CommandPreparedStatementQuery command,
      CallContext context,
      FlightStream values,
      StreamListener<PutResult> listener) {
    return () -> {
      StatementHandle statement = StatementHandle.parse(command.getPreparedStatementHandle());
      while (values.next()) {
        statement = statement.withParameters(ParameterValues.literals(values.getRoot()));
      }
      byte[] bound =
          DoPutPreparedStatementResult.newBuilder()
              .setPreparedStatementHandle(statement.toBytes())
              .build()
              .toByteArray();
      try (ArrowBuf buffer = memory.buffer(bound.length)) {
        buffer.writeBytes(bound);
        listener.onNext(PutResult.metadata(buffer));
      }
      listener.onCompleted();
    };
  }

  // Cancellation

  @Override
  public void cancelFlightInfo(
      CancelFlightInfoRequest request, CallContext context, StreamListener<CancelStatus> listener) {
    boolean cancelled = cancel(request.getInfo());
    listener.onNext(cancelled ? CancelStatus.CANCELLED : CancelStatus.NOT_CANCELLABLE);
    listener.onCompleted();
  }

  private boolean cancel(FlightInfo info) {
    boolean cancelled = false;
    for (FlightEndpoint endpoint : info.getEndpoints()) {
      cancelled |= execution(endpoint.getTicket()).map(streams::cancel).orElse(false);
    }
    return cancelled;
  }

  private static Optional<String> execution(Ticket ticket) {
    try {
      Any any = Any.parseFrom(ticket.getBytes());
      return any.is(TicketStatementQuery.class)
          ? Optional.of(
              StatementHandle.parse(any.unpack(TicketStatementQuery.class).getStatementHandle())
                  .id())
          : Optional.empty();
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty();
    }
  }

  // Unsupported requests

  @Override
  public Runnable acceptPutStatement(
      CommandStatementUpdate command,
      CallContext context,
      FlightStream stream,
      StreamListener<PutResult> listener) {
    return () -> listener.onError(FlightErrors.readOnly());
  }

  @Override
  public Runnable acceptPutPreparedStatementUpdate(
      CommandPreparedStatementUpdate command,
      CallContext context,
      FlightStream stream,
      StreamListener<PutResult> listener) {
    return () -> listener.onError(FlightErrors.readOnly());
  }

  @Override
  public Runnable acceptPutStatementBulkIngest(
      CommandStatementIngest command,
      CallContext context,
      FlightStream stream,
      StreamListener<PutResult> listener) {
    return () -> listener.onError(FlightErrors.readOnly());
  }

  @Override
  public void beginTransaction(
      ActionBeginTransactionRequest request,
      CallContext context,
      StreamListener<ActionBeginTransactionResult> listener) {
    listener.onError(FlightErrors.readOnly());
  }

  // Metadata

  @Override
  public void getStreamSqlInfo(
      FlightSql.CommandGetSqlInfo command, CallContext context, ServerStreamListener listener) {
    facts.send(command.getInfoList(), listener);
  }

  @Override
  public void getStreamTypeInfo(
      FlightSql.CommandGetXdbcTypeInfo command,
      CallContext context,
      ServerStreamListener listener) {
    send(
        Schemas.GET_TYPE_INFO_SCHEMA,
        TypeList.rows(command.hasDataType() ? command.getDataType() : null),
        listener);
  }

  @Override
  public void getStreamCatalogs(CallContext context, ServerStreamListener listener) {
    send(Schemas.GET_CATALOGS_SCHEMA, List.of(List.of(TableList.CATALOG)), listener);
  }

  @Override
  public void getStreamSchemas(
      CommandGetDbSchemas command, CallContext context, ServerStreamListener listener) {
    TableList.Filter filter =
        new TableList.Filter(
            command.hasCatalog() ? Optional.of(command.getCatalog()) : Optional.empty(),
            command.hasDbSchemaFilterPattern()
                ? Optional.of(command.getDbSchemaFilterPattern())
                : Optional.empty(),
            Optional.empty(),
            List.of());
    send(Schemas.GET_SCHEMAS_SCHEMA, withFlightErrors(() -> tables.schemas(filter)), listener);
  }

  @Override
  public void getStreamTables(
      CommandGetTables command, CallContext context, ServerStreamListener listener) {
    boolean withColumns = command.getIncludeSchema();
    TableList.Filter filter =
        new TableList.Filter(
            command.hasCatalog() ? Optional.of(command.getCatalog()) : Optional.empty(),
            command.hasDbSchemaFilterPattern()
                ? Optional.of(command.getDbSchemaFilterPattern())
                : Optional.empty(),
            command.hasTableNameFilterPattern()
                ? Optional.of(command.getTableNameFilterPattern())
                : Optional.empty(),
            command.getTableTypesList());
    send(
        withColumns ? Schemas.GET_TABLES_SCHEMA : Schemas.GET_TABLES_SCHEMA_NO_SCHEMA,
        withFlightErrors(() -> tables.tables(filter, withColumns)),
        listener);
  }

  @Override
  public void getStreamTableTypes(CallContext context, ServerStreamListener listener) {
    send(
        Schemas.GET_TABLE_TYPES_SCHEMA,
        List.of(List.of(TableList.TABLE), List.of(TableList.VIEW)),
        listener);
  }

  @Override
  public void getStreamPrimaryKeys(
      FlightSql.CommandGetPrimaryKeys command, CallContext context, ServerStreamListener listener) {
    send(Schemas.GET_PRIMARY_KEYS_SCHEMA, List.of(), listener);
  }

  @Override
  public void getStreamExportedKeys(
      FlightSql.CommandGetExportedKeys command,
      CallContext context,
      ServerStreamListener listener) {
    send(Schemas.GET_EXPORTED_KEYS_SCHEMA, List.of(), listener);
  }

  @Override
  public void getStreamImportedKeys(
      FlightSql.CommandGetImportedKeys command,
      CallContext context,
      ServerStreamListener listener) {
    send(Schemas.GET_IMPORTED_KEYS_SCHEMA, List.of(), listener);
  }

  @Override
  public void getStreamCrossReference(
      FlightSql.CommandGetCrossReference command,
      CallContext context,
      ServerStreamListener listener) {
    send(Schemas.GET_CROSS_REFERENCE_SCHEMA, List.of(), listener);
  }

  private void send(Schema schema, List<List<Object>> rows, ServerStreamListener listener) {
    MetadataStream.send(schema, rows, memory, listener);
  }
}
