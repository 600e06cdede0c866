/**
 * Heavy hitters and changers over flows: joined flows → keys → counts → judge → table. What the
 * steps do is {@link io.millrace.analytics.hitters}.
 */
package io.millrace.pipelines.hitters;
