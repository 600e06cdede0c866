package io.millrace.store.duckdb.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupQuery;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeriesWindowTest {
  private static final Duration LAST = Duration.ofHours(1);
  private static final Duration LIMIT = Duration.ofMinutes(1);

  /** A fifth of the maximum number of rows is many: here all rows of whole minutes. */
  @Test
  void rowsOfTheOpenMinuteCount() throws SQLException {
    try (RolledFlows flows = new RolledFlows(2, 3_000, false, RollupConfig.DEFAULT)) {
      TopSource source = flows.source(Accounting.ARRIVAL);
      source.queries().shared(new RowsOfMinutes(source), LIMIT, new Cancellation());
    }
  }

  private record RowsOfMinutes(TopSource source) implements Queries.SharedQuery<Boolean> {
    @Override
    public Queries.QueryKey prepare(ReadTransaction transaction) throws SQLException {
      RollupFacts facts =
          RollupFacts.rolled(transaction, "flows", source.queries().memory()).orElseThrow();
      long minute = Grain.MINUTE.bucket(facts.newest());
      long whole = rows(facts, minute);
      long all = rows(facts, minute + Grain.MINUTE.micros());
      assertThat(whole).isPositive().isLessThan(all);
      assertThat(hasManyRows(facts, whole)).isTrue();
      assertThat(hasManyRows(facts, all)).isFalse();
      return new Queries.QueryKey("", facts.rows());
    }

    private static long rows(RollupFacts facts, long to) throws SQLException {
      long from = facts.newest() - TopQuery.micros(LAST) + 1;
      Optional<RollupPlan> plan =
          facts.plan(
              new RollupQuery(
                  Set.of(), from, to, Accounting.ARRIVAL, false, Grain.MINUTE.micros()));
      return facts.rows(plan.orElseThrow());
    }

    private boolean hasManyRows(RollupFacts facts, long many) throws SQLException {
      FlowQuery request =
          FlowQuery.series(Measure.FLOWS).withLast(Optional.of(LAST)).withRolled(true);
      Direction everything =
          Direction.of(
              source.view(), source.schema(), List.of(), Optional.empty(), request.measure());
      return new SeriesWindow(
              request,
              everything,
              Optional.empty(),
              Accounting.ARRIVAL,
              facts,
              5 * many,
              Optional.empty())
          .hasManyRows();
    }

    @Override
    public Boolean execute(ReadTransaction transaction, Queries.RunningQuery running) {
      return true;
    }
  }
}
