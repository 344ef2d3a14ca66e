package drover.evaluator;

import drover.kit.grpc.Address;

/**
 * How an evaluator is set up.
 *
 * @param door where coordinators dial
 */
public record HealthEvaluatorConfig(Address door) {}
