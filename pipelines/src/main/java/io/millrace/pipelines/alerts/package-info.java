/** Alerts for new keys: delivery, and the tables of their history. */
package io.millrace.pipelines.alerts;
