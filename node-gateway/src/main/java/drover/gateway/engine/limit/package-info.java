/**
 * Rate limits of enrollment and of calls, and the concurrency limit of credential lookups. Start
 * with {@link drover.gateway.engine.limit.EnrollmentRateLimiter}, then {@link
 * drover.gateway.engine.limit.CredentialLookupConcurrencyLimit}. Must not depend on messages,
 * sessions or the store.
 */
@NullMarked
package drover.gateway.engine.limit;

import org.jspecify.annotations.NullMarked;
