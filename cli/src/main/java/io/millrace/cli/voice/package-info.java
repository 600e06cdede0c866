/** Command that generates records of messages and voice channels. */
package io.millrace.cli.voice;
