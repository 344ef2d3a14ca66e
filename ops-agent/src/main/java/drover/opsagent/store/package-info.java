/**
 * What the agent keeps on disk: journals, its own counters, and the profile of its node, each a
 * JSON file replaced durably. Start with {@link drover.opsagent.store.JournalStore}. Depends on the
 * script's records and the disk.
 */
@NullMarked
package drover.opsagent.store;

import org.jspecify.annotations.NullMarked;
