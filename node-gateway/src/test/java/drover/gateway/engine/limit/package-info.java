/**
 * Tests of the rate limits of enrollment and of calls. Start with {@link
 * drover.gateway.engine.limit.EnrollmentRateLimiterTest}.
 */
@NullMarked
package drover.gateway.engine.limit;

import org.jspecify.annotations.NullMarked;
