/** Where the files of tables are: on a file system, or in an object store. */
package io.millrace.store.storage;
