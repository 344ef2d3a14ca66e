/**
 * Programs of a node: launch specification, health probes, and the digest of their configuration.
 * Start with {@link drover.model.program.ProgramSpec}, then {@link drover.model.program.LaunchSpec}
 * and {@link drover.model.program.ConfigDigest}. Depends on {@code drover.model} and the language
 * alone: no clocks, no threads, no I/O.
 */
@NullMarked
package drover.model.program;

import org.jspecify.annotations.NullMarked;
