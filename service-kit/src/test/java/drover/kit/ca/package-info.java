/**
 * Tests of what a CA signs, and of what it does not copy from a request. Start with {@link
 * drover.kit.ca.CertificateAuthorityTest}.
 */
@NullMarked
package drover.kit.ca;

import org.jspecify.annotations.NullMarked;
