package io.millrace.pipelines.quota;

import static io.millrace.pipelines.JobSettings.checkJob;
import static io.millrace.pipelines.JobSettings.checkTopic;

import io.millrace.analytics.quota.QuotaRules;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.pipelines.JobSettings;
import io.millrace.pipelines.RecordTopic;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Settings of charging control. Invalid values are rejected here.
 *
 * @param enabled whether the job runs
 * @param slots number of subtasks of each step
 * @param warnPercent of the limit from which it is nearly used up
 * @param window validity of a usage record, and minimum time between signals of a rule to a
 *     subscriber
 * @param watermarkDelay delay of the watermark after the newest record of a partition
 * @param names of the three rules
 * @param rules further rules, by name: conditions on both records, see {@link RuleText}
 * @param usage the external topic of usage records
 * @param streaming the external topic of streaming events
 * @param topic for the signals
 * @param release when results are sent
 * @param webhook URL to which they are posted; null for none
 */
@RecordBuilder
public record QuotaConfig(
    boolean enabled,
    int slots,
    int warnPercent,
    Duration window,
    Duration watermarkDelay,
    List<String> names,
    Map<String, String> rules,
    RecordTopic usage,
    RecordTopic streaming,
    String topic,
    ResultTopic.Release release,
    String webhook)
    implements QuotaConfigBuilder.With {

  public QuotaConfig {
    names = List.copyOf(names);
    rules = new TreeMap<>(rules); // same order in each process
    webhook = webhook == null || webhook.isEmpty() ? null : webhook;
    checkJob(slots, watermarkDelay);
    checkTopic(topic, "signals", List.of(usage, streaming));
    rules(warnPercent, window, names, rules);
    var unused = JobSettings.posted("quota", topic, webhook);
  }

  /** Disabled; the published rules. */
  public static QuotaConfig defaults() {
    return new QuotaConfig(
        false,
        1,
        90,
        Duration.ofMinutes(15),
        Duration.ofSeconds(1),
        List.of("a", "b", "c"),
        Map.of(),
        RecordTopic.NONE,
        RecordTopic.NONE,
        "signals",
        ResultTopic.Release.WHEN_COVERED,
        null);
  }

  /** These settings, enabled, with other subtasks and a webhook. */
  public QuotaConfig running(int subtasks, String url) {
    return with(to -> to.enabled(true).slots(subtasks).webhook(url));
  }

  /** These settings with signals sent at once, and another watermark delay. */
  public QuotaConfig atOnce(Duration bound) {
    return with(to -> to.watermarkDelay(bound).release(ResultTopic.Release.AT_ONCE));
  }

  QuotaRules judged() {
    return rules(warnPercent, window, names, rules);
  }

  private static QuotaRules rules(
      int percent, Duration window, List<String> names, Map<String, String> further) {
    return new QuotaRules(
        percent,
        window.toNanos() / 1_000,
        names,
        further.entrySet().stream()
            .map(rule -> RuleText.parse(rule.getKey(), rule.getValue()))
            .toList());
  }

  Optional<WebhookConfig> posted() {
    return JobSettings.posted("quota", topic, webhook);
  }
}
