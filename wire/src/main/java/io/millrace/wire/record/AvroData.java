package io.millrace.wire.record;

import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** Receiver of Avro data: of its own schema as bytes, of others as resolved by Avro. */
public interface AvroData {
  /** Its own schema. */
  Schema schema();

  /** The fingerprint of {@link #schema}. */
  long fingerprint();

  /** The schema of a fingerprint; empty if unknown. */
  Optional<Schema> known(long fingerprint);

  /**
   * Decodes a datum of its own schema; an invalid one is reported and skipped.
   *
   * @param index of the datum, from 0
   * @param mayHandOn whether {@code source} contains the sender's bytes
   * @return offset of the next one; negative if this is not a datum
   */
  int take(byte[] source, int offset, int end, int index, boolean mayHandOn);

  /** Adds a record that was resolved to its own schema, or reports its fault. */
  void add(GenericRecord record, int index);
}
