package drover.evaluator;

import drover.kit.grpc.Address;

/**
 * How an evaluator is set up.
 *
 * @param address where coordinators dial
 */
public record HealthEvaluatorListenConfig(Address address) {}
