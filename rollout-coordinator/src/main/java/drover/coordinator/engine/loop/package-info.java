/**
 * What all loops share: the database's time, wake-up signals, threads and meters. Start with {@link
 * drover.coordinator.engine.loop.LoopScheduler}, which lets tests run the loops in virtual time.
 * Must not depend on another package of {@code engine}.
 */
@NullMarked
package drover.coordinator.engine.loop;

import org.jspecify.annotations.NullMarked;
