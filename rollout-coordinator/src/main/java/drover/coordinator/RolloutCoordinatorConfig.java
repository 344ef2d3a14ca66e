package drover.coordinator;

import drover.coordinator.plan.Timings;
import drover.kit.grpc.Address;

/**
 * What one coordinator is started with.
 *
 * @param replicaId name of this replica, unique among coordinators
 * @param operatorsDoor where operators' gRPC services listen
 * @param http where REST, {@code /livez} and {@code /readyz} listen
 * @param manifestService where the manifest-service is
 * @param healthEvaluator where the health-evaluator is
 * @param timings how long rollouts wait for what
 */
public record RolloutCoordinatorConfig(
        String replicaId,
        Address operatorsDoor,
        Address.Tcp http,
        Address manifestService,
        Address healthEvaluator,
        Timings timings) {}
