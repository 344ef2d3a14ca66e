/**
 * Tests of enrollment, authentication, renewal and revocation. Start with {@link
 * drover.gateway.engine.credential.EnrollmentServiceTest}, then {@link
 * drover.gateway.engine.credential.RevocationMonitorTest}.
 */
@NullMarked
package drover.gateway.engine.credential;

import org.jspecify.annotations.NullMarked;
