/** What {@code millrace} has for the advertisement benchmark. */
package io.millrace.cli.ads;
