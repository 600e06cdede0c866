package io.millrace.pipelines.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.quota.QuotaRecords;
import io.millrace.analytics.quota.QuotaRules;
import io.millrace.analytics.quota.RecordCondition;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.junit.jupiter.api.Test;

class RuleTextTest {
  private static TableBlock usage(String plan, long limit, long used) {
    TableBlock block = new TableBlock(QuotaRecords.USAGE.columnsWithPlace(), 1);
    block.longs(1)[0] = 4_917_000_001L;
    block.texts(2).add(plan);
    block.longs(3)[0] = limit;
    block.longs(4)[0] = used;
    block.rows(1);
    return block;
  }

  private static TableBlock event(String video) {
    TableBlock block = new TableBlock(QuotaRecords.STREAMING.columnsWithPlace(), 1);
    block.longs(1)[0] = 4_917_000_001L;
    block.texts(2).add(video);
    block.rows(1);
    return block;
  }

  /** After serialisation, as in a job. */
  private static RecordCondition sent(RecordCondition condition) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(condition);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (RecordCondition) in.readObject();
    }
  }

  private static boolean holds(String text, TableBlock usage, TableBlock event) throws Exception {
    QuotaRules.Further rule = RuleText.parse("r", text);
    return sent(rule.usage()).holds(usage, 0) && sent(rule.event()).holds(event, 0);
  }

  @Test
  void asksBothRecords() throws Exception {
    String text =
        "used_percent BETWEEN 50 AND 89 AND plan = 'gold' AND video LIKE 'https://live.%'";
    TableBlock live = event("https://live.example/1");
    assertThat(holds(text, usage("gold", 1_000, 500), live)).isTrue();
    assertThat(holds(text, usage("gold", 1_000, 899), live)).isTrue();
    assertThat(holds(text, usage("gold", 1_000, 499), live)).isFalse();
    assertThat(holds(text, usage("gold", 1_000, 900), live)).isFalse();
    assertThat(holds(text, usage("silver", 1_000, 500), live)).isFalse();
    assertThat(holds(text, usage("gold", 1_000, 500), event("https://vod.example"))).isFalse();
  }

  @Test
  void whatIsMissingIsUnknown() throws Exception {
    TableBlock usage = usage(null, 1_000, 1);
    TableBlock event = event(null);
    assertThat(holds("plan <> 'gold'", usage, event)).isFalse();
    assertThat(holds("NOT plan = 'gold'", usage, event)).isFalse();
    assertThat(holds("plan IS NULL AND video IS NULL", usage, event)).isTrue();
    assertThat(holds("plan = 'gold' OR quota_used < 5", usage, event)).isTrue();
    assertThat(holds("quota_used IN (1, 3) AND quota_limit >= 1k", usage, event)).isTrue();
  }

  @Test
  void errorsPointAtThePlace() {
    assertThatThrownBy(() -> RuleText.parse("half", "used_percent >= 50 AND plam = 'gold'"))
        .hasMessageStartingWith("rules: half: filter, column 24: there is no column ")
        .hasMessageContaining("there are msisdn, plan, quota_limit")
        .hasMessageEndingWith(" ".repeat(31) + "^");
    assertThatThrownBy(() -> RuleText.parse("half", "src port 443"))
        .hasMessageContaining("there is no column");
    assertThatThrownBy(() -> RuleText.parse("half", "plan = 'gold' OR video = 'x'"))
        .hasMessageContaining("uses fields of both records in an OR or NOT");
    assertThatThrownBy(() -> RuleText.parse("half", "used_percent >="))
        .hasMessageStartingWith("rules: half: filter, column 16: ");
  }

  /** The fields of rules are the columns of the streams. */
  @Test
  void fieldsAreThoseOfTheStreams() {
    for (TableSchema.Column column : RuleText.USAGE.columns()) {
      assertThat(
              column.name().equals(FilteredRecords.USED_PERCENT)
                  || QuotaRecords.USAGE.columns().columns().contains(column))
          .as(column.name())
          .isTrue();
    }
    assertThat(QuotaRecords.STREAMING.columns().columns()).containsAll(RuleText.EVENT.columns());
  }
}
