package io.millrace.server.shop;

import io.millrace.pipelines.RecordTopic;

/**
 * Settings of the shop.
 *
 * @param enabled whether the job runs
 * @param visits topic of visits
 * @param returns topic of returned orders
 */
record ShopConfig(boolean enabled, RecordTopic visits, RecordTopic returns) {}
