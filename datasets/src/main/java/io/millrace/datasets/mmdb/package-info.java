/** MaxMind's database format: networks and what is known of each, for sets of ranges. */
package io.millrace.datasets.mmdb;
