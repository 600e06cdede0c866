/**
 * Heavy hitters and changers over flows: joined flows → keys → counts → judge → table. The steps
 * are in {@link io.millrace.analytics.hitters}.
 */
package io.millrace.pipelines.hitters;
