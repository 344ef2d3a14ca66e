package drover.evaluator.api;

import com.google.protobuf.util.Durations;
import drover.evaluator.assess.HealthFindingCode;
import drover.evaluator.assess.HealthThresholds;
import drover.evaluator.assess.HealthWatchSpec;
import drover.evaluator.assess.NodeWithInvalidWatch;
import drover.evaluator.assess.ProgramWatchSpec;
import drover.evaluator.assess.Verdict;
import drover.evaluator.assess.VerdictReport;
import drover.health.v1.Gateways;
import drover.health.v1.HealthFinding;
import drover.health.v1.Unwatch;
import drover.health.v1.VerdictOutcome;
import drover.health.v1.Watch;
import drover.health.v1.WatchResponse;
import drover.health.v1.Watches;
import drover.kit.grpc.Address;
import drover.kit.grpc.Refused;
import drover.kit.grpc.UnknownFieldCheck;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what shall be watched and renders verdicts. */
final class HealthProtos {
    private static final Logger LOG = LoggerFactory.getLogger(HealthProtos.class);

    private static final Duration MAX_DURATION = Duration.ofDays(100 * 366L);

    private HealthProtos() {}

    static List<Address> toAddresses(Gateways gateways) {
        return gateways.getAddressesList().stream()
                .map(text -> parseField("gateways.addresses", text, Address::parse))
                .distinct()
                .toList();
    }

    static List<NodeId> toValidNodeIds(Unwatch unwatch) {
        return unwatch.getNodeIdsList().stream()
                .flatMap(text -> parseNodeId(text).stream())
                .toList();
    }

    /** What cannot be read is said of its own node, and keeps no other from being judged. */
    static List<HealthWatchSpec> toWatches(Watches watches) {
        return watches.getWatchesList().stream()
                .flatMap(requested -> toWatchOrInvalid(requested).stream())
                .toList();
    }

    private static Optional<HealthWatchSpec> toWatchOrInvalid(Watch requested) {
        try {
            return Optional.of(toHealthWatch(requested));
        } catch (Refused refused) {
            LOG.warn(
                    "A watch is refused; there is no data of its node nodeId={} attempt={}"
                            + " reason={} field={} {}",
                    requested.getNodeId(),
                    requested.getAttempt(),
                    refused.code(),
                    refused.field(),
                    refused.sentence());
            return parseNodeId(requested.getNodeId())
                    .map(
                            id ->
                                    new NodeWithInvalidWatch(
                                            id, requested.getAttempt(), refusalReason(refused)));
        }
    }

    /** Operators read it as the reason of a pause, so it begins with what it is about. */
    private static String refusalReason(Refused refused) {
        String field = refused.field().isEmpty() ? "" : " in " + refused.field();
        return "Its watch is refused (%s%s): %s"
                .formatted(refused.code(), field, refused.sentence());
    }

    /** Empty for what no node is called: nobody can be told of it, and nothing is judged. */
    private static Optional<NodeId> parseNodeId(String text) {
        try {
            return Optional.of(new NodeId(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** A criterion that is not known here would count as met: such a watch is refused whole. */
    private static HealthWatchSpec toHealthWatch(Watch requested) {
        Watch watch = UnknownFieldCheck.requireKnown(requested);
        return watch.getEveryProgram()
                ? new drover.evaluator.assess.AllProgramsWatchSpec(
                        parseField("node_id", watch.getNodeId(), NodeId::new),
                        parseDuration("soak_time", watch.getSoakTime()),
                        toPolicy(watch.getPolicy()))
                : toProgramWatch(watch);
    }

    private static ProgramWatchSpec toProgramWatch(Watch watch) {
        if (watch.getAttempt() < 1 || watch.getRunId().isEmpty()) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "A watch of node '%s' needs its attempt and the run that start_node recorded."
                            .formatted(watch.getNodeId()),
                    watch.getAttempt() < 1 ? "attempt" : "run_id");
        }
        return new ProgramWatchSpec(
                parseField("node_id", watch.getNodeId(), NodeId::new),
                watch.getAttempt(),
                parseField("program", watch.getProgram(), BinaryName::new),
                watch.getRunId(),
                parseField("digest", watch.getDigest(), Digest::new),
                watch.getConfigDigest().isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                parseField("config_digest", watch.getConfigDigest(), Digest::new)),
                parseDuration("soak_time", watch.getSoakTime()),
                toPolicy(watch.getPolicy()));
    }

    private static HealthThresholds toPolicy(drover.health.v1.HealthPolicy policy) {
        return parseField(
                "policy",
                policy,
                requested ->
                        new HealthThresholds(
                                requested.getCrashLoopRestarts() == 0
                                        ? HealthThresholds.DEFAULT.crashLoopRestarts()
                                        : requested.getCrashLoopRestarts(),
                                requested.hasHeartbeatTimeout()
                                        ? parseDuration(
                                                "heartbeat_timeout",
                                                requested.getHeartbeatTimeout())
                                        : HealthThresholds.DEFAULT.heartbeatTimeout()));
    }

    private static Duration parseDuration(String field, com.google.protobuf.Duration duration) {
        if (!Durations.isValid(duration)) {
            throw new Refused(RefusalCode.INVALID_FIELD, "No such span of time is known.", field);
        }
        return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }

    private static <A, T> T parseField(String field, A reported, Function<A, T> type) {
        try {
            return type.apply(reported);
        } catch (IllegalArgumentException e) {
            throw new Refused(RefusalCode.INVALID_FIELD, e.getMessage() + ".", field);
        }
    }

    static WatchResponse toProto(List<VerdictReport> judgements) {
        WatchResponse.Builder response = WatchResponse.newBuilder();
        judgements.forEach(judgement -> response.addVerdicts(toProto(judgement)));
        return response.build();
    }

    private static drover.health.v1.Verdict toProto(VerdictReport judgement) {
        drover.health.v1.Verdict.Builder verdict = drover.health.v1.Verdict.newBuilder();
        if (judgement.watch() instanceof ProgramWatchSpec one) {
            verdict.setProgram(one.program().value());
        }
        return verdict.setNodeId(judgement.watch().node().value())
                .setAttempt(judgement.watch().attempt())
                .setOutcome(toOutcome(judgement.verdict()))
                .addAllFindings(
                        judgement.verdict().reasons().stream().map(HealthProtos::toProto).toList())
                .setHealthyFor(clampHealthyFor(judgement))
                .setRunId(judgement.runId())
                .setRunningDigest(judgement.runningDigest())
                .setRestarts(judgement.restarts())
                .build();
    }

    /** Within what a duration of the contract can say. */
    private static com.google.protobuf.Duration clampHealthyFor(VerdictReport judgement) {
        boolean fits = judgement.healthyFor().compareTo(MAX_DURATION) < 0;
        return Durations.fromMillis((fits ? judgement.healthyFor() : MAX_DURATION).toMillis());
    }

    private static HealthFinding toProto(drover.evaluator.assess.HealthFinding finding) {
        return HealthFinding.newBuilder()
                .setCode(toFindingCode(finding.code()))
                .setSentence(finding.sentence())
                .build();
    }

    private static VerdictOutcome toOutcome(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Healthy _ -> VerdictOutcome.VERDICT_OUTCOME_HEALTHY;
            case Verdict.Settling _ -> VerdictOutcome.VERDICT_OUTCOME_SETTLING;
            case Verdict.Unhealthy _ -> VerdictOutcome.VERDICT_OUTCOME_UNHEALTHY;
            case Verdict.NoData _ -> VerdictOutcome.VERDICT_OUTCOME_NO_DATA;
        };
    }

    /** The contract names codes as the pure room does; a test keeps them equal. */
    static drover.health.v1.FindingCode toFindingCode(HealthFindingCode code) {
        return drover.health.v1.FindingCode.valueOf("FINDING_CODE_" + code.name());
    }
}
