/**
 * The tables of one process's store, for writers in other processes.
 *
 * <p>An embedded store's file belongs to one process, and on a cluster the sink's subtasks run in
 * others. {@link io.millrace.store.remote.StoreServer} opens the store to them by TCP; {@link
 * io.millrace.store.remote.RemoteSink} is what a subtask writes with. Where a subtask reaches the
 * directory of a table of flows, it writes the files itself ({@link
 * io.millrace.store.remote.RemoteFlowSink}), and the store commits them. Both ends speak {@link
 * io.millrace.store.remote.StoreProtocol}. Who asks questions uses SQL over HTTP instead.
 *
 * <p>Who shows the store's secret can write and delete ({@link
 * io.millrace.store.remote.StoreSecret}); of all others no more is read than one short message. The
 * bytes are not encrypted: between machines the port belongs into a network of one's own.
 */
package io.millrace.store.remote;
