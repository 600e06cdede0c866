package io.millrace.pipelines.kafka;

import io.millrace.wire.avro.FlowAvroEncoder;
import io.millrace.wire.avro.FlowAvroSchema;
import io.millrace.wire.goflow2.FlowMessageEncoder;
import io.millrace.wire.goflow2.FlowMessageSchema;
import io.millrace.wire.json.FlowJsonEncoder;
import io.millrace.wire.message.FlowEncoder;
import io.millrace.wire.message.OutputColumns;

/** Format of a message. */
public enum OutFormat {
  /** One flow as GoFlow2's {@code flowpb.FlowMessage}. */
  PROTOBUF(false) {
    @Override
    public FlowEncoder encoder(OutputColumns columns) {
      return new FlowMessageEncoder(columns, false);
    }

    @Override
    public String schema(OutputColumns columns) {
      return new FlowMessageSchema(columns).proto();
    }
  },
  /** {@code FlowMessage}s, each preceded by its length as a varint. */
  PROTOBUF_DELIMITED(true) {
    @Override
    public FlowEncoder encoder(OutputColumns columns) {
      return new FlowMessageEncoder(columns, true);
    }

    @Override
    public String schema(OutputColumns columns) {
      return PROTOBUF.schema(columns);
    }
  },
  /** One flow in Avro's single-object encoding. */
  AVRO(false) {
    @Override
    public FlowEncoder encoder(OutputColumns columns) {
      return new FlowAvroEncoder(columns);
    }

    @Override
    public String schema(OutputColumns columns) {
      return new FlowAvroSchema(columns).json();
    }
  },
  /** Flows as JSON objects, each followed by a line feed. */
  JSON(true) {
    @Override
    public FlowEncoder encoder(OutputColumns columns) {
      return new FlowJsonEncoder(columns);
    }

    @Override
    public String schema(OutputColumns columns) {
      return new FlowAvroSchema(columns).json();
    }
  },
  /** Flows as an Arrow IPC stream: schema, one record batch, end. */
  ARROW(true) {
    @Override
    public FlowEncoder encoder(OutputColumns columns) {
      return new FlowArrowEncoder(columns);
    }

    @Override
    public String schema(OutputColumns columns) {
      return FlowArrowEncoder.schema(columns).toJson() + "\n";
    }
  };

  private final boolean holdsMany;

  OutFormat(boolean holdsMany) {
    this.holdsMany = holdsMany;
  }

  /** Whether a message may hold more than one flow. */
  public boolean holdsMany() {
    return holdsMany;
  }

  /** A new encoder. Not thread-safe. */
  public abstract FlowEncoder encoder(OutputColumns columns);

  /**
   * The schema for readers, in the notation of the format's tools; for JSON an Avro schema of the
   * columns.
   */
  public abstract String schema(OutputColumns columns);
}
