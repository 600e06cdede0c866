/**
 * Texts by single address, in any number, on disk: {@link
 * io.millrace.datasets.keyvalue.KeyValueBuilder} sorts CSV files of any size into one immutable
 * file, and {@link io.millrace.datasets.keyvalue.KeyValueDataset} looks addresses up in it.
 *
 * <p>Keys are apart from texts. A look-up asks a cache of hot keys, then a filter that knows nearly
 * all that is not there, then one block of sorted keys; its answer is the key's place in the order.
 * Only who needs the text of a place goes to the texts, through an index of their own. {@link
 * io.millrace.datasets.keyvalue.KeyValueLayout} draws the file.
 */
package io.millrace.datasets.keyvalue;
