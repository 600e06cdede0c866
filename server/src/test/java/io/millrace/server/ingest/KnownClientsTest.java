package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnownClientsTest {
  private static final long[] NEXT = {0};

  @TempDir Path dir;

  @Test
  void failedSavesAreRetried() throws Exception {
    Path file = dir.resolve("missing").resolve("frames");
    KnownClients memory = new KnownClients(1, 10);
    memory.restore("client", 0, 7);
    memory.changed();
    assertThatThrownBy(() -> memory.save(file, NEXT)).isInstanceOf(IOException.class);
    Files.createDirectory(file.getParent());
    memory.save(file, NEXT);
    KnownClients later = new KnownClients(1, 10);
    later.restore(file, new StallingLog(1), 0);
    assertThat(later.client("", "client").last()).isEqualTo(7);
  }

  @Test
  void aDamagedFileIsRenamedAndTheLogIsRead() throws Exception {
    Path file = dir.resolve("frames");
    KnownClients memory = new KnownClients(1, 10);
    memory.restore("client", 0, 7);
    memory.changed();
    memory.save(file, NEXT);
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      KnownClients later = new KnownClients(1, 10);
      later.restore(file, new StallingLog(1), 0);
      assertThat(later.size()).isZero();
      assertThat(file).doesNotExist();
      assertThat(dir.resolve("frames.damaged")).hasSize(length);
    }
  }

  @Test
  void ownersWithManyNamesEvictTheirOwn() {
    KnownClients memory = new KnownClients(1, 100);
    for (int i = 0; i < 20; i++) {
      memory.restore(KnownClients.id("honest-" + i, "c"), 0, 7);
    }
    for (int i = 0; i < 10_000; i++) {
      memory.restore(KnownClients.id("hostile", "c" + i), 0, 7);
    }
    assertThat(memory.size()).isEqualTo(100);
    memory.restore(KnownClients.id("late", "c"), 0, 7);
    for (int i = 0; i < 20; i++) {
      assertThat(memory.client("honest-" + i, "c").last()).isEqualTo(7);
    }
    assertThat(memory.client("late", "c").last()).isEqualTo(7);
    assertThat(memory.client("hostile", "c9999").last()).isEqualTo(7);
    assertThat(memory.size()).isEqualTo(100);
  }

  @Test
  void oneOwnerMayHaveAll() {
    KnownClients memory = new KnownClients(1, 100);
    for (int i = 0; i < 100; i++) {
      memory.restore("c" + i, 0, 7);
    }
    memory.restore("one more", 0, 7);
    assertThat(memory.size()).isEqualTo(100);
    assertThat(memory.client("", "c1").last()).isEqualTo(7);
    assertThat(memory.client("", "c0").last()).isZero();
  }

  @Test
  void clientsIdleForAWeekAreEvicted() {
    KnownClients memory = new KnownClients(1, 100);
    memory.restore("old", 0, 7);
    memory.evictIdle(System.nanoTime() + Duration.ofDays(6).toNanos());
    assertThat(memory.size()).isEqualTo(1);
    memory.evictIdle(System.nanoTime() + Duration.ofDays(8).toNanos());
    assertThat(memory.size()).isZero();
  }

  @Test
  void idsOfDifferentOwnersDiffer() {
    String name = "n".repeat(255);
    assertThat(KnownClients.id("", name)).isEqualTo(name);
    assertThat(KnownClients.id("gateway", name))
        .isNotEqualTo(KnownClients.id("gateway", name.substring(1)))
        .satisfies(id -> assertThat(id.length()).isLessThanOrEqualTo(255));
    assertThat(KnownClients.id("a", "b")).isNotEqualTo(KnownClients.id("", "ab"));
  }

  /** A frame number that no client can have reached. */
  @Test
  void implausibleFrameNumbersInTheLogAreIgnored() {
    KnownClients memory = new KnownClients(1, 100);
    memory.restore("c", 0, Long.MAX_VALUE);
    assertThat(memory.client("", "c").last()).isZero();
  }
}
