package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class LedgerQuotaTest {
  private final LedgerQuota quota = LedgerQuota.DEFAULT;
  private int all;

  /** Adds ledgers of a sender while the quota allows. */
  private int take(int wanted) {
    int taken = 0;
    while (taken < wanted && quota.hasRoom(taken, all)) {
      taken++;
      all++;
    }
    return taken;
  }

  @Test
  void eightRelaysOfFiveHundredHaveRoomAndTheLastFifthIsForSendersWithFew() {
    for (int relay = 0; relay < 8; relay++) {
      assertThat(take(501)).isEqualTo(500);
    }
    assertThat(take(500)).isEqualTo(LedgerQuota.FEW);
    int few = 0;
    for (int sender = 0; sender < 200; sender++) {
      few += take(LedgerQuota.FEW + 1);
    }
    assertThat(few).isEqualTo(1_000 - LedgerQuota.FEW);
    assertThat(all).isEqualTo(5_000);
    assertThat(take(1)).isZero();
  }

  @Test
  void tenRelaysShareWhatIsNotForSendersWithFew() {
    int[] each = new int[10];
    for (int turn = 0; turn < 500; turn++) {
      for (int relay = 0; relay < each.length; relay++) {
        if (quota.hasRoom(each[relay], all)) {
          each[relay]++;
          all++;
        }
      }
    }
    assertThat(Arrays.stream(each).sum()).isEqualTo(4_000);
    assertThat(each).containsOnly(400);
  }
}
