/**
 * Who this node is to the mesh: its key and certificate on the disk, how it gets the first one by a
 * join token, and whom it believes when it dials. Start with {@link
 * drover.opsagent.identity.EnrolledIdentityCreator} and {@link
 * drover.opsagent.identity.NodeKeyAndCertificate}. The rules of names are {@link
 * drover.trust.identity}'s; must not know of programs and upgrades.
 */
@NullMarked
package drover.opsagent.identity;

import org.jspecify.annotations.NullMarked;
