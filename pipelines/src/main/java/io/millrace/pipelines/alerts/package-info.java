/** Alerts of new keys: where they go, and of which tables their history is read. */
package io.millrace.pipelines.alerts;
