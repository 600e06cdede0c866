package io.millrace.wire.record;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.apache.avro.Schema;

/**
 * Checks that reading a datum of a schema takes a bounded number of steps per byte.
 *
 * <p>Some types take no bytes: null, empty records and empty fixed values. An array of them can
 * announce two billion items in five bytes, and records that contain each other twice, thirty
 * levels deep, are a billion of them. So a schema may have a bounded number of parts, counting a
 * record each time it is referenced, and array items must take at least one byte.
 */
final class SchemaCost {
  static final String HIGH = "more than 256 parts, or an array of items that take no bytes";

  private static final int MAX_PARTS = 256;

  /** Records being visited; recursion needs a union, which takes at least a byte. */
  private final Set<Schema> open = Collections.newSetFromMap(new IdentityHashMap<>());

  private int left = MAX_PARTS;

  private SchemaCost() {}

  static boolean isLow(Schema schema) {
    SchemaCost cost = new SchemaCost();
    cost.visit(schema);
    return cost.left >= 0;
  }

  private boolean visit(Schema schema) {
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
            hasBytes |= visit(field.schema());
          }
          open.remove(schema);
        }
        yield hasBytes;
      }
      case UNION -> {
        for (Schema branch : schema.getTypes()) {
          var unused = visit(branch);
        }
        yield true;
      }
      case ARRAY -> {
        if (!visit(schema.getElementType())) {
          left = -1;
        }
        yield true;
      }
      case MAP -> {
        var unused = visit(schema.getValueType());
        yield true;
      }
      default -> true;
    };
  }
}
