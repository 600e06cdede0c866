package io.millrace.wire.record;

import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/**
 * Takes data of Avro one by one: those of its own schema as bytes, and those of others as Avro has
 * resolved them.
 */
public interface AvroData {
  /** Its own schema. */
  Schema schema();

  /** The fingerprint of that. */
  long fingerprint();

  /** The schema of a fingerprint; empty for one that nobody has published. */
  Optional<Schema> known(long fingerprint);

  /**
   * Takes a datum of its own schema; a wrong one is stepped over and told.
   *
   * @param index of the datum, from 0
   * @param mayHandOn whether {@code source} is what the sender sent
   * @return where the next one starts; negative if it is no datum
   */
  int take(byte[] source, int offset, int end, int index, boolean mayHandOn);

  /** Takes a record that was of another schema, in the form of its own, or tells what is wrong. */
  void add(GenericRecord record, int index);
}
