/** How long questions over months of flows take. */
package io.millrace.lab.series;
