package io.millrace.server.shop;

import io.millrace.pipelines.RecordTopic;

/**
 * The shop as it is configured.
 *
 * @param enabled whether the job runs
 * @param visits the topic of visits
 * @param returns the topic of orders that are sent back
 */
record ShopConfig(boolean enabled, RecordTopic visits, RecordTopic returns) {}
