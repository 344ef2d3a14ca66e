/**
 * The certificate authority of a deployment: what it writes into a certificate, and how it verifies
 * a signing request. Start with {@link drover.kit.ca.CertificateAuthority}, then {@link
 * drover.kit.ca.CertificateTemplate} and {@link drover.kit.ca.CertificateRequestKeyVerifier}. The
 * only package that depends on the certificate library; processes without a CA run without it.
 * Knows no service's domain.
 */
@NullMarked
package drover.kit.ca;

import org.jspecify.annotations.NullMarked;
