/** Usage records and streaming events of subscribers that never were. */
package io.millrace.traffic.quota;
