/** The advertisement benchmark: views of campaigns in windows, from Kafka to Redis and a table. */
package io.millrace.pipelines.ads;
