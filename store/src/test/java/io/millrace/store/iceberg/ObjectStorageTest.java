package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pulse.DirectoryTree;
import io.millrace.store.FencedException;
import io.millrace.store.QueryException;
import io.millrace.store.StoreException;
import io.millrace.store.storage.ObjectStorage;
import io.millrace.store.storage.TableStorage;
import io.millrace.store.storage.TestObjects;
import io.millrace.testing.S3Server;
import io.millrace.testing.S3Server.Fault;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of files on this machine, and commits of tables, in an object store. */
class ObjectStorageTest {
  private static final Fault[] NOT_AT_ONCE = {Fault.IS_LATE, Fault.FAILS, Fault.FAILS};

  @TempDir Path directory;
  private S3Server server;
  private ObjectStorage storage;

  @BeforeEach
  void start() throws IOException {
    server = new S3Server();
    storage = storage(directory);
  }

  @AfterEach
  void stop() {
    storage.close();
    server.close();
  }

  private ObjectStorage storage(Path root) {
    return new ObjectStorage(root, TestObjects.client(server), 1_000);
  }

  private static Table open(TableStorage storage, Path directory) {
    return TableDirectory.open(
        storage,
        directory.resolve("tables/t"),
        "t",
        new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
        PartitionSpec.unpartitioned(),
        SortOrder.unsorted(),
        TableDirectory.PROPERTIES,
        Set.of());
  }

  private static void append(TableStorage storage, Path directory, Table table, String name) {
    table
        .newAppend()
        .appendFile(
            DataFiles.builder(table.spec())
                .withPath(storage.location(directory.resolve("tables/t/data/" + name)))
                .withFileSizeInBytes(10)
                .withRecordCount(1)
                .withFormat("parquet")
                .build())
        .commit();
  }

  private void append(Table table, String name) {
    append(storage, directory, table, name);
  }

  private static List<String> files(Table table) throws IOException {
    List<String> names = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        String location = task.file().location();
        names.add(location.substring(location.lastIndexOf('/') + 1));
      }
    }
    names.sort(null);
    return names;
  }

  @Test
  void locationsAreThoseOfTheObjectStore() throws IOException {
    Table table = open(storage, directory);
    append(table, "a");
    assertThat(table.location()).isEqualTo("s3://lake/some/prefix/tables/t");
    assertThat(server.keys())
        .contains("tables/t/metadata/v2.metadata.json", "tables/t/metadata/version-hint.text");
    assertThat(TableDirectory.newest(directory.resolve("tables/t")).orElseThrow())
        .satisfies(
            metadata -> {
              assertThat(metadata.metadataFileLocation())
                  .isEqualTo("s3://lake/some/prefix/tables/t/metadata/v2.metadata.json");
              assertThat(metadata.currentSnapshot()).isNotNull();
            });
    assertThatThrownBy(() -> storage.path("s3://other/tables/t"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> storage.location(directory.resolveSibling("other")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** docs/scale.md counts with it. */
  @Test
  void aCommitWritesFourObjectsAndReadsNone() throws IOException {
    Table table = open(storage, directory);
    append(table, "a");
    int written = server.requests("PUT");
    int read = server.requests("GET") + server.requests("HEAD");
    append(table, "b");
    assertThat(server.requests("PUT") - written).isEqualTo(4);
    assertThat(server.requests("GET") + server.requests("HEAD")).isEqualTo(read);
  }

  @Test
  void aLostDirectoryIsFetched() throws IOException {
    append(open(storage, directory), "a");
    DirectoryTree.delete(directory.resolve("tables"));
    Table again = open(storage, directory);
    assertThat(files(again)).containsExactly("a");
    append(again, "b");
    assertThat(files(open(storage, directory))).containsExactly("a", "b");
  }

  @Test
  void anOldStateOfTheDirectoryIsUpdated() throws IOException {
    Table table = open(storage, directory);
    append(table, "a");
    Path copy = directory.resolve("copy");
    Files.createDirectories(copy.resolve("tables/t/metadata"));
    try (var all = Files.list(directory.resolve("tables/t/metadata"))) {
      for (Path file : all.toList()) {
        Files.copy(file, copy.resolve("tables/t/metadata").resolve(file.getFileName()));
      }
    }
    for (int i = 0; i < 30; i++) { // more versions than are kept
      append(table, "b" + i);
    }
    try (ObjectStorage other = storage(copy)) {
      assertThat(files(open(other, copy))).hasSize(31);
    }
  }

  @Test
  void aCommitWithoutAnswerIsFoundAgain() throws IOException {
    Table table = open(storage, directory);
    server.next("metadata.json", Fault.ANSWER_IS_LOST, Fault.ANSWER_IS_LOST);
    append(table, "a"); // the third attempt finds the first one's version
    assertThat(files(table)).containsExactly("a");
    server.next("metadata.json", Fault.ANSWER_IS_LOST, Fault.FAILS, Fault.FAILS);
    assertThatThrownBy(() -> append(table, "b")).hasMessageContaining("status 500");
    assertThat(files(table)).containsExactly("a");
    TableDirectory.update(table);
    assertThat(files(table)).containsExactly("a", "b");
  }

  /** The files of a late commit are committed again meanwhile: they must not be listed twice. */
  @Test
  void aLateCommitIsNotDoubled() throws IOException {
    Table table = open(storage, directory);
    append(table, "a");
    server.next("metadata.json", NOT_AT_ONCE);
    assertThatThrownBy(() -> append(table, "b")).hasMessageContaining("status 500");
    TableDirectory.update(table);
    assertThat(files(table)).containsExactly("a");
    server.deliverLate();
    assertThatThrownBy(() -> append(table, "b"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("v3.metadata.json exists already");
    TableDirectory.update(table);
    assertThat(files(table)).containsExactly("a", "b");
    append(table, "c");
    assertThat(files(open(storage, directory))).containsExactly("a", "b", "c");
  }

  /** Iceberg would delete the files of a commit that fails after it has taken effect. */
  @Test
  void commitsDoNotFailBecauseOldMetadataCannotBeDeleted() throws IOException {
    Table table = open(storage, directory);
    server.failMethod("DELETE");
    for (int i = 10; i < 40; i++) { // more versions than are kept
      append(table, "a" + i);
    }
    assertThat(files(open(storage, directory))).hasSize(30);
  }

  @Test
  void aHintThatWasNotWrittenIsNotBelieved() throws IOException {
    Table table = open(TableStorage.local(), directory);
    append(TableStorage.local(), directory, table, "a");
    Path hint = directory.resolve("tables/t/metadata/version-hint.text");
    String old = Files.readString(hint);
    for (int i = 10; i < 40; i++) {
      append(TableStorage.local(), directory, table, "b" + i);
    }
    Files.writeString(hint, old);
    assertThat(files(open(TableStorage.local(), directory))).hasSize(31);
  }

  @Test
  void aCommitIsNotReplacedByALateOne() throws IOException {
    Table table = open(storage, directory);
    server.next("metadata.json", NOT_AT_ONCE);
    assertThatThrownBy(() -> append(table, "a")).hasMessageContaining("status 500");
    append(table, "b");
    server.deliverLate();
    assertThat(files(open(storage, directory))).containsExactly("b");
  }

  @Test
  void anotherProcessIsNoticed() throws IOException {
    Table table = open(storage, directory);
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    try (ObjectStorage other = storage(elsewhere)) {
      append(other, elsewhere, open(other, elsewhere), "theirs");
    }
    assertThatThrownBy(() -> append(table, "mine")).hasMessageContaining("another process");
    assertThatThrownBy(() -> TableDirectory.update(table))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("another process writes to s3://lake/some/prefix/tables/t");
    TableDirectory.load(table);
    append(table, "mine");
    assertThat(files(table)).containsExactly("mine", "theirs");
  }

  @Test
  void anotherTableIsNotTouched() throws IOException {
    append(open(storage, directory), "a");
    Path other = Files.createDirectory(directory.resolve("other"));
    Table local = open(TableStorage.local(), other);
    append(TableStorage.local(), other, local, "b");
    try (ObjectStorage remote = storage(other)) {
      assertThatThrownBy(() -> open(remote, other))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("has another table than");
    }
    server.clear();
    assertThatThrownBy(() -> open(storage, directory))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("lacks version 2 of the table");
  }

  @Test
  void aLocalTableMovesIntoTheObjectStoreAndBack() throws IOException {
    Table local = open(TableStorage.local(), directory);
    Path file = directory.resolve("tables/t/data/a");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "0123456789");
    append(TableStorage.local(), directory, local, "a");
    append(open(storage, directory), "b");
    assertThat(server.keys()).contains("tables/t/data/a", "tables/t/metadata/v3.metadata.json");
    assertThat(files(open(storage, directory))).containsExactly("a", "b");
    assertThatThrownBy(() -> open(TableStorage.local(), directory))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is only in s3://lake/some/prefix/tables/t");
    Files.writeString(directory.resolve("tables/t/data/b"), "0123456789");
    Table back = open(TableStorage.local(), directory);
    assertThat(back.location())
        .isEqualTo(TableStorage.local().location(directory.resolve("tables/t")));
    assertThat(files(back)).containsExactly("a", "b");
  }

  private String published(String name, int bytes) throws IOException {
    Path file = directory.resolve("tables/t/data").resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "x".repeat(bytes));
    storage.publish(file);
    storage.published(file.toString(), bytes);
    return file.toString();
  }

  @Test
  void theLeastRecentlyUsedFilesGoFirst() throws IOException {
    String a = published("a", 300);
    String b = published("b", 300);
    String c = published("c", 300);
    storage.use(List.of(a)).close();
    published("d", 300);
    assertThat(Path.of(b)).doesNotExist();
    assertThat(Path.of(a)).exists();
    storage.use(List.of(b)).close();
    assertThat(Path.of(b)).hasContent("x".repeat(300));
    assertThat(Path.of(c)).doesNotExist();
  }

  @Test
  void filesInUseStay() throws IOException {
    String a = published("a", 600);
    TableStorage.Use use = storage.use(List.of(a));
    String b = published("b", 600);
    assertThat(Path.of(a)).exists();
    assertThat(Path.of(b)).as("the limit is reached").doesNotExist();
    storage.evictTo(0);
    assertThat(Path.of(a)).exists();
    use.close();
    storage.evictTo(0);
    assertThat(Path.of(a)).doesNotExist();
  }

  @Test
  void filesThatDoNotFitAreNotFetched() throws IOException {
    List<String> all = List.of(published("a", 600), published("b", 600), published("c", 600));
    storage.evictTo(0);
    assertThatThrownBy(() -> storage.use(all))
        .isInstanceOf(QueryException.class)
        .hasMessageContaining("more than fit on this machine");
    try (TableStorage.Use other = storage.use(all.subList(0, 1))) {
      assertThatThrownBy(() -> storage.use(all.subList(1, 2)))
          .isInstanceOf(QueryException.class)
          .hasMessageContaining("other queries use");
    }
    storage.evictTo(0);
    server.setDown(true);
    assertThatThrownBy(() -> storage.use(all.subList(0, 1)))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot read s3://lake/some/prefix/tables/t/data/a: status 500");
    server.heal();
    storage.use(all.subList(0, 1)).close();
    storage.delete(Path.of(all.get(1)));
    assertThat(server.keys()).doesNotContain("tables/t/data/b").contains("tables/t/data/c");
  }

  @Test
  void aQueryThatEndsNoLongerWaits() throws IOException {
    String a = published("a", 600);
    storage.evictTo(0);
    server.hold(true);
    assertThatThrownBy(() -> storage.use(List.of(a), () -> true))
        .isInstanceOf(InterruptedIOException.class);
    server.hold(false);
    storage.use(List.of(a)).close();
    assertThat(Path.of(a)).hasContent("x".repeat(600));
  }

  @Test
  void foldersAreListedMovedAndDeleted() throws IOException {
    published("a", 10);
    published("b", 10);
    assertThat(storage.folders(directory.resolve("tables"))).containsExactly("t");
    storage.move(directory.resolve("tables/t"), directory.resolve("tables/u"));
    assertThat(server.keys()).containsExactly("tables/u/data/a", "tables/u/data/b");
    assertThat(directory.resolve("tables/u/data/a")).exists();
    storage.deleteAll(directory.resolve("tables/u"));
    assertThat(server.keys()).isEmpty();
    assertThat(directory.resolve("tables/u")).doesNotExist();
  }
}
