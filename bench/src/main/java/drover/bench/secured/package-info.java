/**
 * What streams cost where both ends show certificates: a gateway in a process of its own, agents in
 * another, and beside them a bare gRPC server that keeps as many streams over the same TLS. Start
 * reading at {@link drover.bench.secured.SecuredGateway}. {@link drover.bench.secured.ProvenEdges}
 * secures a whole mesh.
 */
@NullMarked
package drover.bench.secured;

import org.jspecify.annotations.NullMarked;
