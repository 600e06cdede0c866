package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ByteKeyTablePropertyTest {
  private static final KeyGroups ALL = KeyGroups.all();

  /** A text, an address and a number: several columns, of which the first may be absent. */
  private record Name(String text, long high, long low, long number) {
    static Name of(Random random) {
      int n = random.nextInt(12);
      return new Name("ü".repeat(n), random.nextInt(2), -random.nextInt(2), random.nextInt(3));
    }

    KeyBytes bytes() {
      return new KeyBytes().text(text).address(high, low).number(number);
    }

    static Name of(KeyBytes key) {
      return new Name(key.takeText(), key.takeNumber(), key.takeNumber(), key.takeNumber());
    }
  }

  private static void change(ByteKeyTable table, Map<Name, Long> model, Random random) {
    Name name = Name.of(random);
    if (random.nextInt(2) == 0 && table.size() > 0) {
      int entry = random.nextInt(table.size());
      model.remove(Name.of(table.key(entry, new KeyBytes())));
      table.remove(entry);
    } else {
      long more = random.nextLong();
      int entry = table.entry(name.bytes());
      table.values(1)[entry] += more;
      model.merge(name, more, Long::sum);
    }
  }

  private static Map<Name, Long> content(ByteKeyTable table) {
    Map<Name, Long> content = new HashMap<>();
    for (int entry = 0; entry < table.size(); entry++) {
      Name name = Name.of(table.key(entry, new KeyBytes()));
      assertThat(content.put(name, table.values(1)[entry])).as("%s twice", name).isNull();
      assertThat(table.find(name.bytes())).isEqualTo(entry);
      assertThat(table.hash(entry)).isEqualTo(name.bytes().hash());
      assertThat(table.values(0)[entry]).isZero();
    }
    return content;
  }

  @Property(tries = 300)
  void behavesAsAMap(@ForAll long seed, @ForAll @IntRange(max = 2_000) int steps) {
    Random random = new Random(seed);
    ByteKeyTable table = new ByteKeyTable(ALL, 2);
    Map<Name, Long> model = new HashMap<>();

    for (int i = 0; i < steps; i++) {
      change(table, model, random);
    }

    assertThat(content(table)).isEqualTo(model);
    assertThat(table.find(new Name("none", 0, 0, 0).bytes())).isEqualTo(-1);
  }

  /**
   * Snapshots are written only after further changes of the table, as in an engine. State restored
   * into some subtasks is written by them and restored into others.
   */
  @Property(tries = 150)
  void snapshotsAndChangesAreRedistributedByKeyGroup(
      @ForAll long seed,
      @ForAll @IntRange(max = 300) int steps,
      @ForAll @IntRange(min = 1, max = 9) int first,
      @ForAll @IntRange(min = 1, max = 9) int second)
      throws IOException {
    Random random = new Random(seed);
    ByteKeyTable table = new ByteKeyTable(ALL, 2);
    Map<Name, Long> model = new HashMap<>();
    List<Map<Integer, byte[]>> files = new ArrayList<>();
    StateSnapshot before = null;
    for (int checkpoint = 0; checkpoint < 4; checkpoint++) {
      for (int i = 0; i < steps; i++) {
        change(table, model, random);
      }
      StateSnapshot snapshot = table.snapshot();
      Map<Name, Long> then = Map.copyOf(model);
      for (int i = 0; i < steps; i++) {
        change(table, model, random);
      }
      if (before != null && !snapshot.hasChangesSince(before)) {
        before = null;
      }
      if (before == null) {
        files.clear();
      }
      files.add(written(snapshot, before, ALL));
      before = snapshot;

      List<ByteKeyTable> parts = restored(files, first);
      List<Map<Integer, byte[]>> again = new ArrayList<>();
      for (int i = 0; i < first; i++) {
        again.add(written(parts.get(i).snapshot(), null, KeyGroups.of(ALL.max(), i, first)));
      }
      Map<Name, Long> joined = new HashMap<>();
      restored(again, second).forEach(part -> joined.putAll(content(part)));
      assertThat(joined).isEqualTo(then);
    }
  }

  private static Map<Integer, byte[]> written(
      StateSnapshot snapshot, StateSnapshot before, KeyGroups groups) throws IOException {
    Map<Integer, byte[]> bytes = new TreeMap<>();
    for (int group = groups.first(); group <= groups.last(); group++) {
      BlockBuffer out = new BlockBuffer(16);
      if (before == null) {
        snapshot.write(group, out);
      } else {
        snapshot.writeChanges(group, before, out);
      }
      bytes.put(group, out.toBytes());
    }
    return bytes;
  }

  private static List<ByteKeyTable> restored(List<Map<Integer, byte[]>> files, int subtasks) {
    List<ByteKeyTable> parts = new ArrayList<>();
    for (int i = 0; i < subtasks; i++) {
      KeyGroups groups = KeyGroups.of(ALL.max(), i, subtasks);
      ByteKeyTable part = new ByteKeyTable(groups, 2);
      for (Map<Integer, byte[]> file : files) {
        file.forEach(
            (group, bytes) -> {
              if (group >= groups.first() && group <= groups.last()) {
                BlockInput in = new BlockInput(bytes, 0, bytes.length);
                part.restore(in);
                assertThat(in.remaining()).isZero();
              }
            });
      }
      for (int entry = 0; entry < part.size(); entry++) {
        assertThat(groups.holds(part.hash(entry))).isTrue();
      }
      parts.add(part);
    }
    return parts;
  }
}
