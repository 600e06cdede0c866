/** Commands that copy a store to another directory and back. */
package io.millrace.cli.backup;
