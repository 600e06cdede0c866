package io.millrace.datasets.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetCorruptException;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.csv.LineFault;
import io.millrace.testing.SyntheticNames;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyValueDatasetTest {
  private static final Columns COLUMNS =
      Columns.parse("", List.of("ip", "dns:text", "domain:domain(dns)"));
  private static final int NAMES = 20_000;

  @TempDir Path directory;
  private Path csv;
  private Path target;

  @BeforeEach
  void writeNames() throws IOException {
    csv = directory.resolve("names.csv");
    target = directory.resolve("names.mrd");
    SyntheticNames.write(csv, NAMES);
  }

  @Test
  void aDeviceIsNotReplacedByAFile() throws IOException {
    Files.createSymbolicLink(target, Path.of("/dev/null"));
    assertThatThrownBy(this::build)
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("names.mrd: exists but is not a regular file");
    assertThat(target).isSymbolicLink();
  }

  @Test
  void sameNamesMakeTheSameFileInAnyOrder() throws IOException {
    KeyValueBuilder.Result result = build();
    assertThat(result.names()).isEqualTo(NAMES);
    assertThat(result.fileBytes()).isEqualTo(Files.size(target));
    byte[] first = Files.readAllBytes(target);
    List<String> lines = Files.readAllLines(csv);
    Collections.shuffle(lines, new Random(7));
    Files.write(csv, lines);
    build();
    assertThat(Files.readAllBytes(target)).isEqualTo(first);
    Files.writeString(csv, "192.0.2.1,other.example\n");
    long fingerprint = open().fingerprint();
    build();
    assertThat(open().fingerprint()).isNotEqualTo(fingerprint);
  }

  @Test
  void opensASetOfNothing() throws IOException {
    Files.writeString(csv, "ip,name\n");
    build();
    try (KeyValueDataset set = open()) {
      set.verify();
      assertThat(set.records()).isZero();
      int[] records = new int[2];
      set.newLookup().lookup(new long[] {0, 1}, new long[] {0xFFFF_0000_0001L, 2}, 2, records);
      assertThat(records).containsOnly(Dataset.UNKNOWN);
    }
  }

  /** Uses other addresses in each block, since lookups cache them. */
  @Test
  void oneLookupServesBlocksOfAnySizeInAnyOrder() throws IOException {
    int max = 3 * KeyIndex.LANES;
    long[] high = new long[2 * max];
    long[] low = new long[2 * max];
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 2 * max; i++) {
      lines.add("192.0.2." + i + ",host" + i + ".example");
      low[i] = Addresses.v4Low(0xC0000200 + i);
    }
    Files.write(csv, lines);
    build();
    try (KeyValueDataset set = open()) {
      for (int first = 1; first <= max; first++) {
        for (int next = 1; next <= max; next++) {
          Lookup lookup = set.newLookup();
          assertFound(lookup, high, low, 0, first);
          assertFound(lookup, high, low, max, next);
        }
      }
    }
  }

  /** Records are positions in address order. */
  private static void assertFound(Lookup lookup, long[] high, long[] low, int from, int rows) {
    int[] records = new int[rows];
    lookup.lookup(
        Arrays.copyOfRange(high, from, from + rows),
        Arrays.copyOfRange(low, from, from + rows),
        rows,
        records);
    assertThat(records).isEqualTo(IntStream.range(from, from + rows).toArray());
  }

  @Test
  void threadsWithTheirOwnLookupsAgree() throws Exception {
    build();
    long[] high = new long[50_000];
    long[] low = new long[high.length];
    SyntheticNames.zipf(1, 2 * NAMES, high, low);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (KeyValueDataset set = open()) {
      Callable<int[]> ask =
          () -> {
            int[] records = new int[high.length];
            set.newLookup().lookup(high, low, high.length, records);
            return records;
          };
      List<int[]> answers = new ArrayList<>();
      for (Future<int[]> answer : threads.invokeAll(List.of(ask, ask, ask, ask))) {
        answers.add(answer.get());
      }
      assertThat(answers).allSatisfy(answer -> assertThat(answer).isEqualTo(answers.get(0)));
      assertThat(answers.get(0)).contains(Dataset.UNKNOWN);
      assertThat(Arrays.stream(answers.get(0)).filter(record -> record >= 0).count())
          .isGreaterThan(high.length / 2);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void rejectsAFileThatIsCutOffAnywhere() throws IOException {
    build();
    byte[] whole = Files.readAllBytes(target);
    for (int length : new int[] {0, 3, 100, 211, 4096, whole.length / 2, whole.length - 1}) {
      Files.write(target, Arrays.copyOf(whole, length));
      assertThatThrownBy(this::open)
          .as("length " + length)
          .isInstanceOf(DatasetException.class)
          .hasMessageContaining("names.mrd: ")
          .hasMessageContaining("build");
    }
  }

  @Test
  void detectsEveryDamagedByteAndNeverReturnsWrongResults() throws IOException {
    build();
    byte[] whole = Files.readAllBytes(target);
    Random random = new Random(3);
    for (int n = 0; n < 150; n++) {
      int at =
          n < 100 ? random.nextInt(whole.length) : random.nextInt(KeyValueLayout.MAX_HEADER_LENGTH);
      byte[] damaged = whole.clone();
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      Files.write(target, damaged);
      assertFoundOrPadding(at);
    }
  }

  /** Bytes between sections are padding; all others are covered by a checksum. */
  private void assertFoundOrPadding(int at) throws IOException {
    KeyValueDataset set;
    try {
      set = open();
    } catch (DatasetException e) {
      assertThat(e).hasMessageContaining("names.mrd: ");
      return;
    }
    Lookup lookup = set.newLookup();
    for (int i = 0; i < NAMES; i += 100) {
      try {
        assertThat(lookup.text(0, i)).hasSizeLessThanOrEqualTo(NameBlocks.MAX_TEXT);
        assertThat(lookup.text(1, i % set.texts(1))).hasSizeLessThan(NameBlocks.MAX_TEXT);
      } catch (DatasetCorruptException e) {
        assertThat(e).hasMessageContaining("corrupt");
      }
    }
    try {
      set.verify();
      assertThat(isPadding(at)).as("byte " + at).isTrue();
    } catch (DatasetException e) {
      assertThat(e).hasMessageContaining("corrupt");
    }
  }

  private boolean isPadding(int at) throws IOException {
    byte[] bytes = Files.readAllBytes(target);
    var header = KeyValueLayout.Header.decode(target, ByteBuffer.wrap(bytes), bytes.length);
    for (KeyValueLayout.Section section : KeyValueLayout.Section.values()) {
      if (at >= header.offset(section) && at < header.offset(section) + header.length(section)) {
        return false;
      }
    }
    return at >= header.encodedLength();
  }

  @Test
  void rejectsOtherFilesAndVersions() throws IOException {
    Files.writeString(target, "192.0.2.1,a.example\n".repeat(100));
    assertThatThrownBy(this::open).hasMessageContaining("not a built data set");
    build();
    byte[] whole = Files.readAllBytes(target);
    whole[4] = 3;
    Files.write(target, whole);
    assertThatThrownBy(this::open).hasMessageContaining("version 3 and flags 0");
  }

  @Test
  void namesTheBadLineAndLeavesTheOldFileAlone() throws IOException {
    build();
    byte[] before = Files.readAllBytes(target);
    Files.writeString(csv, "192.0.2.1,a.example\n192.0.2,b.example\n");
    assertThatThrownBy(this::build)
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("names.csv:2: \"192.0.2\" is not a host address");
    assertThat(Files.readAllBytes(target)).isEqualTo(before);
    assertOnlyInputAndTarget();
  }

  @Test
  void lenientSkipsAndCounts() throws IOException {
    Files.writeString(
        csv,
        """
        ip,name
        192.0.2.1,a.example
        192.0.2,b.example
        192.0.2.3
        192.0.2.4,
        192.0.2.1,c.example
        """);
    KeyValueBuilder.Result result =
        new KeyValueBuilder(target, COLUMNS).lenient(true).build(List.of(csv));
    assertThat(result.records()).isEqualTo(2);
    assertThat(result.names()).isEqualTo(1);
    assertThat(result.duplicates()).isEqualTo(1);
    assertThat(result.faults().counts())
        .isEqualTo(Map.of(LineFault.ADDRESS, 1L, LineFault.COLUMNS, 1L, LineFault.TEXT, 1L));
    assertThat(open().newLookup().text(0, 0)).isEqualTo("c.example");
  }

  @Test
  void leftoversOfADeadBuildAreDeletedByTheNext() throws IOException {
    Path dead = Files.createDirectory(directory.resolve(".names.mrd.building"));
    Files.writeString(dead.resolve("run-0"), "half");
    Files.writeString(dead.resolve("lock"), "");
    build();
    open().verify();
    assertOnlyInputAndTarget();
  }

  @Test
  void twoBuildsOfOneTargetDoNotMix() throws IOException {
    assertThatThrownBy(
            () ->
                new KeyValueBuilder(target, COLUMNS)
                    .progress((stage, records, done, total) -> buildUnchecked())
                    .build(List.of(csv)))
        .hasMessageContaining("is being built by this process already");
    assertThat(target).doesNotExist();
    assertOnlyInputAndTarget();
  }

  @Test
  void reportsProgress() throws IOException {
    List<String> told = new ArrayList<>();
    new KeyValueBuilder(target, COLUMNS)
        .progress(
            (stage, records, done, total) ->
                told.add(stage + " " + records + " " + done + "/" + total))
        .build(List.of(csv));
    long bytes = Files.size(csv);
    assertThat(told)
        .containsExactly("READ 20000 " + bytes + "/" + bytes, "MERGE 20000 20000/20000");
  }

  private void buildUnchecked() {
    try {
      build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertOnlyInputAndTarget() throws IOException {
    try (Stream<Path> list = Files.list(directory)) {
      assertThat(list).isSubsetOf(csv, target);
    }
  }

  private KeyValueBuilder.Result build() throws IOException {
    return new KeyValueBuilder(target, COLUMNS).build(List.of(csv));
  }

  private KeyValueDataset open() throws IOException {
    return KeyValueDataset.open("rdns", target, COLUMNS.fields(), 1 << 10);
  }
}
