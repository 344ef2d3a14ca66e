/**
 * The vocabulary that every part of Drover shares: names with a grammar, digests, the eight
 * actions, phases, outcomes and refusal codes. Start with {@link drover.model.UpgradeAction}, {@link
 * drover.model.Digest} and {@link drover.model.RefusalCode}. Depends on nothing but the language:
 * no clocks, no threads, no I/O.
 */
@NullMarked
package drover.model;

import org.jspecify.annotations.NullMarked;
