package drover.coordinator;

import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.kit.grpc.Address;
import drover.kit.grpc.EndpointLimits;
import drover.trust.release.SigningKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What one coordinator is started with.
 *
 * @param replicaId name of this replica, unique among coordinators
 * @param grpcAddress where operators' gRPC services listen
 * @param http where REST, {@code /livez} and {@code /readyz} listen
 * @param manifestServices where the manifest-services are; at least one
 * @param healthEvaluators where the health-evaluators are; at least one
 * @param timings how long rollouts wait for what
 * @param access who may call the operators' doors
 * @param keep how long ended rollouts stay whole; zero for good
 * @param commandKey signs what a leader sends to nodes; empty: nothing is signed
 * @param limits of the operators' endpoints
 */
public record RolloutCoordinatorConfig(
        String replicaId,
        Address grpcAddress,
        Address.Tcp http,
        List<Address> manifestServices,
        List<Address> healthEvaluators,
        RolloutTimeouts timings,
        OperatorAccessConfig access,
        Duration keep,
        Optional<SigningKey> commandKey,
        EndpointLimits limits) {
    /** Longer than a year, so that last year's same event can be looked at. */
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(400);

    /** With one neighbour of each kind, and what has ended kept as long as usual. */
    public RolloutCoordinatorConfig(
            String replicaId,
            Address operatorEndpoint,
            Address.Tcp http,
            Address manifestService,
            Address healthEvaluator,
            RolloutTimeouts timings,
            OperatorAccessConfig access) {
        this(
                replicaId,
                operatorEndpoint,
                http,
                List.of(manifestService),
                List.of(healthEvaluator),
                timings,
                access,
                DEFAULT_RETENTION);
    }

    /** Signing nothing. */
    public RolloutCoordinatorConfig(
            String replicaId,
            Address operatorEndpoint,
            Address.Tcp http,
            List<Address> manifestServices,
            List<Address> healthEvaluators,
            RolloutTimeouts timings,
            OperatorAccessConfig access,
            Duration keep) {
        this(
                replicaId,
                operatorEndpoint,
                http,
                manifestServices,
                healthEvaluators,
                timings,
                access,
                keep,
                Optional.empty(),
                EndpointLimits.OPERATORS);
    }

    /** The same, which signs what a leader sends to nodes. */
    public RolloutCoordinatorConfig withCommandKey(SigningKey key) {
        return new RolloutCoordinatorConfig(
                replicaId,
                grpcAddress,
                http,
                manifestServices,
                healthEvaluators,
                timings,
                access,
                keep,
                Optional.of(key),
                limits);
    }

    /** The same with other limits of the operators' endpoints. */
    public RolloutCoordinatorConfig with(EndpointLimits others) {
        return new RolloutCoordinatorConfig(
                replicaId,
                grpcAddress,
                http,
                manifestServices,
                healthEvaluators,
                timings,
                access,
                keep,
                commandKey,
                others);
    }

    /** How long to keep what has ended, from days as written. */
    public static Duration parseRetention(String days) {
        if (!days.matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException(
                    "--keep takes whole days, such as 400; 0 keeps everything for good.");
        }
        return Duration.ofDays(Integer.parseInt(days));
    }

    /** Refuses, with one sentence, doors that the network reaches and that ask for nothing. */
    public RolloutCoordinatorConfig {
        manifestServices = List.copyOf(manifestServices);
        healthEvaluators = List.copyOf(healthEvaluators);
        if (access.insecure() && !(isLocal(grpcAddress) && isLocal(http))) {
            throw new IllegalArgumentException(
                    "--insecure is for doors on this machine alone: listen on 127.0.0.1, or let"
                            + " callers bring keys.");
        }
    }

    /** Any other name may mean this machine today and the network tomorrow. */
    private static boolean isLocal(Address address) {
        return switch (address) {
            case Address.InProcess _ -> true;
            case Address.Tcp(String host, int _) ->
                    host.matches("127(\\.[0-9]{1,3}){3}|localhost|::1|\\[::1]");
        };
    }
}
