/**
 * On-disk texts by single address, in any number: {@link
 * io.millrace.datasets.keyvalue.KeyValueBuilder} sorts CSV files of any size into one immutable
 * file, and {@link io.millrace.datasets.keyvalue.KeyValueDataset} looks addresses up in it.
 *
 * <p>Keys and texts are separate. A lookup queries a cache of hot keys, then a filter that rejects
 * nearly all absent addresses, then one block of sorted keys; the result is the position of the
 * key. Texts are read through their own index when they are needed. {@link
 * io.millrace.datasets.keyvalue.KeyValueLayout} describes the file.
 */
package io.millrace.datasets.keyvalue;
