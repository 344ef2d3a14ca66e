/**
 * Tests of signed releases and of authorizations of commands. Start with {@link
 * drover.trust.release.ReleaseVerifierTest}; {@link drover.trust.release.SigningFixture} has the
 * keys and documents.
 */
@NullMarked
package drover.trust.release;

import org.jspecify.annotations.NullMarked;
