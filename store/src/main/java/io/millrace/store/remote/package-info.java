/**
 * The tables of one process's store, for writers in other processes.
 *
 * <p>An embedded store's file belongs to one process, and on a cluster the sink's subtasks run in
 * others. {@link io.millrace.store.remote.StoreServer} opens the store to them by TCP; {@link
 * io.millrace.store.remote.RemoteInlet} is what a subtask writes with. Both ends speak {@link
 * io.millrace.store.remote.StoreProtocol}. Who asks questions uses SQL over HTTP instead.
 *
 * <p>There is no login: whoever reaches the port can write and delete. It listens on loopback
 * unless it is told otherwise, and then belongs behind a firewall.
 */
package io.millrace.store.remote;
