package io.millrace.wire.record;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.apache.avro.Schema;

/**
 * Whether reading a datum of a schema costs a bounded number of steps for each of its bytes.
 *
 * <p>Some types take no bytes: null, and records and fixed values of nothing. An array of them says
 * two billion items in five bytes, and records that hold one another twice, thirty deep, are a
 * billion of them. So a schema may have a bounded number of parts, those of a record counted each
 * time that it is named, and the items of an array have at least a byte.
 */
final class SchemaCost {
  /** What a schema says that is not read. */
  static final String HIGH = "more than 256 parts, or an array of items that take no bytes";

  private static final int MOST_PARTS = 256;

  /** Records that are being looked at: inside of themselves they are behind a byte of a union. */
  private final Set<Schema> open = Collections.newSetFromMap(new IdentityHashMap<>());

  private int left = MOST_PARTS;

  private SchemaCost() {}

  /** Whether data of the schema may be read. */
  static boolean isLow(Schema schema) {
    SchemaCost cost = new SchemaCost();
    cost.look(schema);
    return cost.left >= 0;
  }

  /** Counts the parts; gives whether a datum has at least a byte. */
  private boolean look(Schema schema) {
    if (--left < 0) {
      return true;
    }
    return switch (schema.getType()) {
      case NULL -> false;
      case FIXED -> schema.getFixedSize() > 0;
      case RECORD -> {
        boolean hasBytes = false;
        if (open.add(schema)) {
          for (Schema.Field field : schema.getFields()) {
            hasBytes |= look(field.schema());
          }
          open.remove(schema);
        }
        yield hasBytes;
      }
      case UNION -> {
        for (Schema branch : schema.getTypes()) {
          var unused = look(branch);
        }
        yield true;
      }
      case ARRAY -> {
        if (!look(schema.getElementType())) {
          left = -1;
        }
        yield true;
      }
      case MAP -> {
        var unused = look(schema.getValueType());
        yield true;
      }
      default -> true;
    };
  }
}
