/**
 * Authorities and the certificates of services, as files of this machine: what {@code drover
 * authority} makes, and the authority that a mesh in one process has for itself. Start with {@link
 * drover.machine.identity.AuthorityFiles}. What stands in a certificate is decided by {@link
 * drover.kit.authority}; must not know of the mesh's services.
 */
@NullMarked
package drover.machine.identity;

import org.jspecify.annotations.NullMarked;
