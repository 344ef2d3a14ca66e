/**
 * Signed documents: releases, the root of trust, authorizations of commands, and the rules by which
 * a node verifies them (SECURITY, artifact and manifest signing).
 *
 * <p>Start with {@link drover.trust.release.ReleaseVerifier} and {@link
 * drover.trust.release.CommandVerifier}, then {@link drover.trust.release.TrustChain} and {@link
 * drover.trust.release.Envelope}. Pure: no files, clocks and libraries. Must not depend on {@code
 * drover.trust.identity}.
 */
@NullMarked
package drover.trust.release;

import org.jspecify.annotations.NullMarked;
