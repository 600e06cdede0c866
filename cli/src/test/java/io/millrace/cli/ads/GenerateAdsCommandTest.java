package io.millrace.cli.ads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandLineRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerateAdsCommandTest {
  @TempDir Path dir;

  @Test
  void eventsAreOfAdsThatHaveACampaign() throws Exception {
    CommandLineRun run =
        CommandLineRun.of(
            "generate", "ads", dir.toString(), "--events", "3000", "--skewed", "--disorder");
    assertThat(run.status()).as(run.err()).isZero();
    Map<String, String> campaignOf = new HashMap<>();
    List<String> commands = Files.readAllLines(dir.resolve("campaigns.redis"));
    for (String command : commands) {
      String[] words = command.split(" ", -1);
      if (words[0].equals("SET")) {
        campaignOf.put(words[1], words[2]);
      }
    }
    assertThat(campaignOf).hasSize(1_000);
    assertThat(commands).hasSize(1_100);

    List<String> lines = Files.readAllLines(dir.resolve("events.ndjson"));
    assertThat(lines).hasSize(3_000);
    int views = 0;
    for (String line : lines) {
      JsonNode event = new ObjectMapper().readTree(line);
      assertThat(event.fieldNames())
          .toIterable()
          .containsExactly(
              "user_id", "page_id", "ad_id", "ad_type", "event_type", "event_time", "ip_address");
      assertThat(campaignOf).containsKey(event.get("ad_id").asText());
      views += event.get("event_type").asText().equals("view") ? 1 : 0;
    }
    assertThat(views).isBetween(800, 1_200);
    assertThat(run.err()).contains(views + " of them views");
  }

  @Test
  void configurationOfTheExampleIsRight() {
    CommandLineRun run = CommandLineRun.of("config", "-c", "../examples/ads/millrace.yaml");
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).contains("topic: ad-events");
  }

  @Test
  void rejectsNoEvents() {
    CommandLineRun run = CommandLineRun.of("generate", "ads", dir.toString(), "--events", "0");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--events 0 is out of range, expected 1 to");
  }
}
