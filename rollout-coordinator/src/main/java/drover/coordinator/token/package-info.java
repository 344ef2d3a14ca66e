/**
 * Tokens of an identity provider: JWT, checked with the keys that it publishes. Start with {@link
 * drover.coordinator.token.JwtAuthenticator}. The only room that knows the library for them; what a
 * token must say is decided in {@code access}.
 */
@NullMarked
package drover.coordinator.token;

import org.jspecify.annotations.NullMarked;
