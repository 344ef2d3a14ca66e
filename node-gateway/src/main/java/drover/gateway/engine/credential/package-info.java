/**
 * Credentials of agents: join tokens, enrollment, authentication, renewal and revocation. Start
 * with {@link drover.gateway.engine.credential.EnrollmentService}, then {@link
 * drover.gateway.engine.credential.CopyDetectingCertificateAuthenticator} and {@link
 * drover.gateway.engine.credential.RevocationMonitor}. The rules are in {@link
 * drover.gateway.identity}. Must not depend on generated messages.
 */
@NullMarked
package drover.gateway.engine.credential;

import org.jspecify.annotations.NullMarked;
