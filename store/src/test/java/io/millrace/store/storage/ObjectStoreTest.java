package io.millrace.store.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.ObjectsConfig;
import io.millrace.testing.S3Server;
import io.millrace.testing.S3Server.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectStoreTest {
  @TempDir Path directory;
  private S3Server server;
  private ObjectStore store;

  @BeforeEach
  void open() throws IOException {
    server = new S3Server();
    store = TestObjects.client(server);
  }

  @AfterEach
  void close() {
    store.close();
    server.close();
  }

  private Path file(String text) throws IOException {
    return Files.writeString(Files.createTempFile(directory, "object", ""), text);
  }

  @Test
  void writesReadsAndDeletes() throws IOException {
    store.put("a/b", file("some text"));
    assertThat(server.keys()).containsExactly("a/b");
    assertThat(store.get("a/b"))
        .hasValueSatisfying(bytes -> assertThat(bytes).asString().isEqualTo("some text"));
    assertThat(store.size("a/b")).hasValue(9);
    Path copy = directory.resolve("copy");
    assertThat(store.get("a/b", copy, 9)).isTrue();
    assertThat(copy).hasContent("some text");
    store.copy("a/b", "c/d");
    store.delete("a/b");
    store.delete("a/b");
    assertThat(server.keys()).containsExactly("c/d");
    assertThat(store.get("a/b")).isEmpty();
    assertThat(store.size("a/b")).isEmpty();
    assertThat(store.get("a/b", directory.resolve("none"), 9)).isFalse();
    assertThat(directory.resolve("none")).doesNotExist();
  }

  @Test
  void listsMoreThanOnePage() throws IOException {
    for (int i = 0; i < 20; i++) {
      store.put("list/%02d".formatted(i), file("x".repeat(i)));
    }
    store.put("list/folder/below", file(""));
    store.put("other", file(""));
    assertThat(store.list("list/"))
        .hasSize(21)
        .anySatisfy(
            entry -> {
              assertThat(entry.key()).isEqualTo("list/07");
              assertThat(entry.bytes()).isEqualTo(7);
            });
    assertThat(store.folders("list/")).contains("folder").doesNotContain("07");
  }

  @Test
  void isWrittenOnce() throws IOException {
    assertThat(store.putIfAbsent("new", "first".getBytes(UTF_8))).isTrue();
    assertThat(store.putIfAbsent("new", "second".getBytes(UTF_8))).isFalse();
    assertThat(store.get("new").orElseThrow()).asString().isEqualTo("first");
  }

  @Test
  void aServerWithoutConditionalWritesIsNoticed() throws IOException {
    store.checkWrites();
    assertThat(server.keys()).isEmpty();
    server.ignoreConditions();
    assertThatThrownBy(store::checkWrites).hasMessageContaining("must support conditional writes");
    server.heal();
    server.setDown(true);
    assertThatThrownBy(store::checkWrites).hasMessageContaining("status 500");
  }

  @Test
  void repeatsRequestsThatFail() throws IOException {
    server.next(Fault.FAILS, Fault.IS_BUSY);
    store.put("a", file("some text"));
    server.next(Fault.IS_BUSY, Fault.IS_CUT);
    Path copy = directory.resolve("copy");
    assertThat(store.get("a", copy, 9)).isTrue();
    assertThat(copy).hasContent("some text");
    server.next(Fault.ANSWER_IS_LOST);
    assertThat(store.putIfAbsent("b", new byte[] {1})).as("it has written it already").isFalse();
  }

  @Test
  void failuresNameTheObject() throws IOException {
    server.setDown(true);
    assertThatThrownBy(() -> store.put("a/b", file("text")))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot write s3://lake/some/prefix/a/b: status 500");
    server.heal();
    store.put("a/b", file("text"));
    assertThatThrownBy(() -> store.get("a/b", directory.resolve("copy"), 5))
        .hasMessage("s3://lake/some/prefix/a/b has 4 bytes, expected 5");
    ObjectsConfig config = TestObjects.config(server);
    server.close();
    try (ObjectStore gone = new ObjectStore(config)) {
      assertThatThrownBy(() -> gone.get("a")).hasMessageContaining("Connection refused");
    }
  }

  @Test
  void locationsAreChecked() {
    for (String wrong :
        new String[] {"s3://", "s3://bucket/", "http://bucket", "s3://a b/c", "s3://bucket//c"}) {
      assertThatThrownBy(() -> new ObjectsConfig(wrong, null, "us-east-1", 64 << 20))
          .hasMessageContaining("store.objects.location: invalid location " + wrong);
    }
    assertThat(new ObjectsConfig("s3://bucket", null, "r", 64 << 20).prefix()).isEmpty();
    assertThat(new ObjectsConfig("s3://bucket/a/b", null, "r", 64 << 20).prefix())
        .isEqualTo("a/b/");
  }
}
