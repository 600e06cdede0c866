/** {@code millrace demo}: a complete instance with generated traffic, and its screen. */
package io.millrace.cli.demo;
