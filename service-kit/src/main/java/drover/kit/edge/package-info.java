/**
 * A service's connections with its neighbours, and what it is told of certificates. Start with
 * {@link drover.kit.edge.ServiceEdges}. Who may call whom is decided by {@link
 * drover.model.identity.MeshEdge}; what TLS is made of lies in {@link drover.kit.tls}.
 */
@NullMarked
package drover.kit.edge;

import org.jspecify.annotations.NullMarked;
