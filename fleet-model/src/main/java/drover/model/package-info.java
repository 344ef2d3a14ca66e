/**
 * The vocabulary that every part of Drover shares: names with a grammar, digests, the eight
 * actions, phases, outcomes and refusal codes. Start with {@link drover.model.UpgradeAction},
 * {@link drover.model.Digest} and {@link drover.model.RefusalCode}. Depends on nothing but the
 * language: no clocks, no threads, no I/O. Must not depend on {@code drover.model.program} or
 * {@code drover.trust}.
 */
@NullMarked
package drover.model;

import org.jspecify.annotations.NullMarked;
