/** Packets as flows, for pipelines with that input. */
package io.millrace.pipelines.packets;
