/**
 * Serving gRPC the same way in every service: one host, one way to refuse, one way to read a
 * refusal. Start with {@link drover.kit.grpc.GrpcServer} and {@link drover.kit.grpc.Refused}. Knows
 * no service's domain.
 */
@NullMarked
package drover.kit.grpc;

import org.jspecify.annotations.NullMarked;
