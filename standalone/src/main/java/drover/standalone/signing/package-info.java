/**
 * Keys, roots of trust and signed releases as files of the people who sign: offline, without any
 * server. Start with {@link drover.standalone.signing.ManifestAndReleaseFiles} and {@link
 * drover.standalone.signing.TrustRootFile}; what is signed is decided in {@code
 * drover.trust.release}. Knows no command line and no network.
 */
@NullMarked
package drover.standalone.signing;

import org.jspecify.annotations.NullMarked;
