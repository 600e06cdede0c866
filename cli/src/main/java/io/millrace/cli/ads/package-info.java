/** Commands of the advertisement benchmark. */
package io.millrace.cli.ads;
