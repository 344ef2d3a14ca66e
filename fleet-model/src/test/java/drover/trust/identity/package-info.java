/**
 * Tests of names in certificates, service permissions, join tokens and certificate lifetimes. Start
 * with {@link drover.trust.identity.ServicePermissionTest} and {@link
 * drover.trust.identity.SpiffeIdTest}.
 */
@NullMarked
package drover.trust.identity;

import org.jspecify.annotations.NullMarked;
