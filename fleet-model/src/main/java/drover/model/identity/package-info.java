/**
 * Who is who on the wire: names of services and nodes in certificates, the rule by which an edge of
 * the mesh admits a peer, keys with their chains, and how long a certificate lasts (SECURITY,
 * identities; invariants H1, H2). Start with {@link drover.model.identity.PeerRule} and {@link
 * drover.model.identity.MeshEdge}, then {@link drover.model.identity.SpiffeId} and {@link
 * drover.model.identity.TlsMaterial}. Pure, and of the JDK alone: no files, no clock, no library.
 */
@NullMarked
package drover.model.identity;

import org.jspecify.annotations.NullMarked;
