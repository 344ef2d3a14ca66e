/**
 * Tests of access to a complete deployment: API keys, tokens, node certificates, enrollment,
 * revocation and database roles. Start with {@link drover.system.access.AccessIT}, then {@link
 * drover.system.access.NodeCertificateIT}.
 */
@NullMarked
package drover.system.access;

import org.jspecify.annotations.NullMarked;
