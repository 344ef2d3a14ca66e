/**
 * Taking a node in: one that is installed for the first time ({@link
 * drover.opsagent.adopt.InitialProgramInstaller}), or one whose programs run already ({@link
 * drover.opsagent.adopt.ProgramAdopter}, with {@link drover.opsagent.adopt.AdoptionDecision} for
 * what is decided). Runs before an agent does, never beside one. Must not depend on the engine or
 * on peers.
 */
@NullMarked
package drover.opsagent.adopt;

import org.jspecify.annotations.NullMarked;
