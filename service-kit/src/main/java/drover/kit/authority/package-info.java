/**
 * Making certificates: the authority of a mesh, what it writes into a certificate, and the proof
 * that whoever asks has the key. Start with {@link drover.kit.authority.Authority}, then {@link
 * drover.kit.authority.CertificatePlan} and {@link drover.kit.authority.SigningRequest}. The one
 * place that knows the certificate library, which only processes with an authority of their own
 * carry; nothing here knows a service's domain.
 */
@NullMarked
package drover.kit.authority;

import org.jspecify.annotations.NullMarked;
