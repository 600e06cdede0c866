package io.millrace.wire.record;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** Receiver of Avro data: as bytes if they have its own schema, otherwise resolved by Avro. */
public interface AvroData {
  /** Its own schema. */
  Schema schema();

  /** The fingerprint of {@link #schema}. */
  long fingerprint();

  /**
   * Decodes a datum of its own schema; an invalid one is reported and skipped.
   *
   * @param index of the datum, from 0
   * @return offset of the next one; negative if this is not a datum
   */
  int take(byte[] source, int offset, int end, int index);

  /** Adds a record that was resolved to its own schema, or reports its fault. */
  void add(GenericRecord record, int index);
}
