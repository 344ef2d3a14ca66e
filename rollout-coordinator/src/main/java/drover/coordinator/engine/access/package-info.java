/**
 * Authentication of callers, API keys and the audit of join tokens. Start with {@link
 * drover.coordinator.engine.access.OperatorAuthenticator}, then {@link
 * drover.coordinator.engine.access.ApiKeyAuthenticator}. The rules are in {@code access}. Every
 * replica runs these classes, so they must not depend on {@code engine.leader}.
 */
@NullMarked
package drover.coordinator.engine.access;

import org.jspecify.annotations.NullMarked;
