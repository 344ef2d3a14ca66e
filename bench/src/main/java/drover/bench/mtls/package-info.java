/**
 * Cost of streams with mutual TLS: a gateway and agents in separate processes, and a bare gRPC
 * server with as many streams as baseline. Start with {@link drover.bench.mtls.MtlsGateway}. {@link
 * drover.bench.mtls.MtlsDeploymentConnections} secures every connection of a deployment. Must not
 * depend on the bench commands.
 */
@NullMarked
package drover.bench.mtls;

import org.jspecify.annotations.NullMarked;
