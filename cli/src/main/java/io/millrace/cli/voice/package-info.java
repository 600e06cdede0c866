/** The command that makes records of messages and voice channels. */
package io.millrace.cli.voice;
