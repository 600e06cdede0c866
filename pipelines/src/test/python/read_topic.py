"""Reads all committed messages of a topic with Kafka's Python client and prints the flows as JSON.

Arguments: bootstrap servers, topic, format, file of the schema. A line a flow: the columns that have a
value, under the names of the schema, times as microseconds, addresses as text.
"""

import datetime
import io
import ipaddress
import json
import struct
import sys

import confluent_kafka


def messages(bootstrap, topic):
    consumer = confluent_kafka.Consumer({
        "bootstrap.servers": bootstrap,
        "group.id": "reader",
        "isolation.level": "read_committed",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
    })
    partitions = consumer.list_topics(topic).topics[topic].partitions
    consumer.assign([confluent_kafka.TopicPartition(topic, p, 0) for p in partitions])
    ended = set()
    while len(ended) < len(partitions):
        message = consumer.poll(10)
        if message is None:
            raise SystemExit("nothing came within 10 s")
        if message.error() is None:
            yield message.value()
        elif message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF:
            ended.add(message.partition())
        else:
            raise SystemExit(str(message.error()))
    consumer.close()


def protobuf_class(schema):
    import os
    import tempfile

    import grpc_tools.protoc
    from google.protobuf import descriptor_pb2, message_factory

    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "set")
        folder, name = os.path.split(os.path.abspath(schema))
        if grpc_tools.protoc.main(["", "-I" + folder, "--descriptor_set_out=" + out, name]) != 0:
            raise SystemExit("the schema is no .proto file")
        with open(out, "rb") as file:
            files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    return message_factory.GetMessages(files.file)["flowpb.FlowMessage"]


def of_protobuf(schema, is_delimited):
    from google.protobuf.internal.decoder import _DecodeVarint32

    flow_message = protobuf_class(schema)

    def row(flow):
        values = {}
        for field, value in flow.ListFields():
            if field.type == field.TYPE_BYTES:
                value = str(ipaddress.ip_address(value))
            elif field.name.endswith("_ns"):
                value //= 1000
            elif field.is_repeated if hasattr(field, "is_repeated") else field.label == 3:
                value = value[0]
            values[field.name] = value
        return values

    def read(value):
        if not is_delimited:
            yield row(flow_message.FromString(value))
            return
        at = 0
        while at < len(value):
            length, at = _DecodeVarint32(value, at)
            yield row(flow_message.FromString(value[at:at + length]))
            at += length

    return read


def of_avro(schema):
    import fastavro

    with open(schema) as file:
        text = json.load(file)
    parsed = fastavro.parse_schema(text)
    canonical = fastavro.schema.to_parsing_canonical_form(text)
    fingerprint = bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))

    def read(value):
        if value[:2] != b"\xc3\x01" or value[2:10] != fingerprint:
            raise SystemExit("not the schema's fingerprint: " + value[:10].hex())
        source = io.BytesIO(value[10:])
        flow = fastavro.schemaless_reader(source, parsed)
        if source.read():
            raise SystemExit("bytes after the flow")
        yield {name: plain(v) for name, v in flow.items() if v is not None}

    return read


def of_arrow():
    import pyarrow.ipc

    def read(value):
        for flow in pyarrow.ipc.open_stream(value).read_all().to_pylist():
            yield {name: plain(v) for name, v in flow.items() if v is not None}

    return read


def plain(value):
    if isinstance(value, datetime.datetime):
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return (value - epoch) // datetime.timedelta(microseconds=1)
    return value


def main():
    bootstrap, topic, form, schema = sys.argv[1:]
    read = {
        "protobuf": lambda: of_protobuf(schema, False),
        "protobuf-delimited": lambda: of_protobuf(schema, True),
        "avro": lambda: of_avro(schema),
        "json": lambda: lambda value: map(json.loads, value.splitlines()),
        "arrow": of_arrow,
    }[form]()
    count = 0
    for value in messages(bootstrap, topic):
        count += 1
        for flow in read(value):
            print(json.dumps(flow, sort_keys=True))
    print(count, "messages", file=sys.stderr)


if __name__ == "__main__":
    main()
