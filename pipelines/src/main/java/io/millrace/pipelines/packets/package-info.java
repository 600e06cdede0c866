/** Packets as flows, for the pipelines that are told to take packets. */
package io.millrace.pipelines.packets;
