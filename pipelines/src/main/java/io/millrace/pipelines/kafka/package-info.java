/**
 * Joined flows to a topic of others, exactly once: {@link io.millrace.pipelines.kafka.KafkaOut}
 * hangs the steps into the job, {@link io.millrace.pipelines.kafka.KafkaOutConfig} says where to
 * and in which format.
 */
package io.millrace.pipelines.kafka;
