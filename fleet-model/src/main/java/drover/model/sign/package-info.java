/**
 * What is signed, by whom, and what a signature is good for: releases, the root of trust, and the
 * rules by which a node believes them (SECURITY, artifact and manifest signing). Start with {@link
 * drover.model.sign.ReleaseRules} and {@link drover.model.sign.CommandRules}, then {@link
 * drover.model.sign.TrustChain} and {@link drover.model.sign.Envelope}. Pure, and of the JDK alone:
 * no files, no clock, no library.
 */
@NullMarked
package drover.model.sign;

import org.jspecify.annotations.NullMarked;
