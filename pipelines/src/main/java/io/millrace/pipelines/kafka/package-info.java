/**
 * Output of joined flows to an external topic, exactly once: {@link
 * io.millrace.pipelines.kafka.KafkaOut} adds the steps to the job, {@link
 * io.millrace.pipelines.kafka.KafkaOutConfig} configures topic and format.
 */
package io.millrace.pipelines.kafka;
