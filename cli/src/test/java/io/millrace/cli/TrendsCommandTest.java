package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrendsCommandTest {
  @TempDir Path directory;

  /** Ten minutes of three keywords, of which one rises in the ninth. */
  private Path searches() throws IOException {
    StringBuilder lines = new StringBuilder();
    Instant start = Instant.parse("2026-01-01T12:00:00Z");
    for (int minute = 0; minute < 10; minute++) {
      Instant time = start.plusSeconds(60L * minute);
      lines.append("weather,").append(time).append(",100\n");
      lines.append("storm,").append(time).append(minute == 8 ? ",60\n" : ",10\n");
      lines.append("once,").append(time.plusSeconds(-3600)).append('\n');
    }
    return Files.writeString(directory.resolve("searches.csv"), lines.append("bad\n"));
  }

  @Test
  void printsWhatRises() throws IOException {
    CommandLineRun run = CommandLineRun.of("trends", searches().toString(), "--format", "csv");
    assertThat(run.err())
        .isEqualTo(
            """
            10 lines dropped as late; see --watermark-delay
            1 line without keyword, time or count dropped
            """);
    assertThat(run.status()).isZero();
    assertThat(run.out().lines())
        .containsExactly(
            "bucket,keyword,count,expectation,lower,upper,score,kind,series",
            "2026-01-01T12:08:00Z,storm,60,10.00,3.72,21.40,5.66,rise,10 10 10 10 10 60");
  }

  @Test
  void printsKeywordsAsRecords() throws IOException {
    Path views = directory.resolve("pageviews-20260101-130000");
    Files.writeString(views, "en A_\"comet\" 42 0\nde Zürich 3 0\nbroken\n");
    CommandLineRun run = CommandLineRun.of("trends", "--records", views.toString());
    assertThat(run.status()).isZero();
    assertThat(run.err()).isEqualTo("1 line without keyword, time or count dropped\n");
    assertThat(run.out())
        .isEqualTo(
            """
            {"time":"2026-01-01T12:00:00Z","keyword":"en A_\\"comet\\"","count":42}
            {"time":"2026-01-01T12:00:00Z","keyword":"de Zürich","count":3}
            """);
  }

  @Test
  void rejectsInvalidOptions() throws IOException {
    String file = searches().toString();
    assertThat(CommandLineRun.of("trends", file, "--eta", "0").status()).isEqualTo(2);
    assertThat(CommandLineRun.of("trends", file, "--bucket", "5").err()).contains("missing unit");
    assertThat(CommandLineRun.of("trends", directory + "/none").err()).contains("no such file");
  }
}
