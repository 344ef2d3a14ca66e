package drover.coordinator.peers;

import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.ActionCheck;
import drover.agent.v1.ActionReport;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.CheckOutcome;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramReport;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramView;
import drover.coordinator.plan.preflight.AgentPreflightReport;
import drover.coordinator.plan.preflight.NodePreflightResult.Problem;
import drover.model.AttemptOutcome;
import drover.model.MalformedValue;
import drover.model.UpgradeAction;
import drover.model.UpgradePhase;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What agents say, in the coordinator's words. */
public final class AgentReportConverter {
    private static final org.slf4j.Logger LOG =
            org.slf4j.LoggerFactory.getLogger(AgentReportConverter.class);

    private AgentReportConverter() {}

    /**
     * A status as far as decisions need it. An outcome that is not known never counts as an end.
     */
    public static drover.coordinator.plan.observed.AttemptStatus toAttemptStatus(
            AttemptStatus status) {
        List<ActionReport> actions = status.getActionsList();
        ActionReport last =
                actions.isEmpty() ? ActionReport.getDefaultInstance() : actions.getLast();
        return new drover.coordinator.plan.observed.AttemptStatus(
                status.getAttempt(),
                status.getSequence(),
                toOutcome(status),
                toPhaseOrNull(status),
                last.getName(),
                last.getProgressPercent(),
                status.getReason(),
                joinDetails(status),
                status.getRunningDigest(),
                status.getConfigDigest(),
                status.getRunId(),
                status.getHandoverReady());
    }

    /**
     * The sentence of the attempt, and those of actions that succeeded, for example that a program
     * had to be killed. That of a failed action is the one of the attempt.
     */
    private static String joinDetails(AttemptStatus status) {
        Stream<String> ofActions =
                status.getActionsList().stream()
                        .filter(AgentReportConverter::hasSucceeded)
                        .map(ActionReport::getDetail);
        return Stream.concat(Stream.of(status.getDetail()), ofActions)
                .filter(sentence -> !sentence.isEmpty())
                .distinct()
                .collect(Collectors.joining(" "));
    }

    private static boolean hasSucceeded(ActionReport action) {
        return switch (action.getOutcome()) {
            case ACTION_OUTCOME_DONE, ACTION_OUTCOME_ALREADY_DONE, ACTION_OUTCOME_COMPENSATED ->
                    true;
            case ACTION_OUTCOME_RUNNING,
                    ACTION_OUTCOME_FAILED,
                    ACTION_OUTCOME_UNSPECIFIED,
                    UNRECOGNIZED ->
                    false;
        };
    }

    /** A stored status; an unreadable one says nothing. */
    public static AttemptStatus parseOrDefault(byte[] bytes) {
        try {
            return AttemptStatus.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            return AttemptStatus.getDefaultInstance();
        }
    }

    /** What a preflight found. An action that nothing is said of, or nothing known, is not well. */
    static AgentPreflightReport toPreflightReport(drover.agent.v1.PreflightReport report) {
        List<Problem> problems = new ArrayList<>();
        for (UpgradeAction action : UpgradeAction.values()) {
            ActionCheck check =
                    report.getChecksList().stream()
                            .filter(it -> it.getName().equals(action.wireName()))
                            .findFirst()
                            .orElse(ActionCheck.getDefaultInstance());
            if (check.getOutcome() != CheckOutcome.CHECK_OUTCOME_OK) {
                problems.add(toProblem(action, check));
            }
        }
        return new AgentPreflightReport(
                report.getPreflightId(), problems, report.getReason(), report.getDetail());
    }

    private static Problem toProblem(UpgradeAction action, ActionCheck check) {
        boolean wouldFail = check.getOutcome() == CheckOutcome.CHECK_OUTCOME_WOULD_FAIL;
        return new Problem(
                action.wireName(),
                wouldFail ? check.getReason() : "UNKNOWN",
                wouldFail
                        ? check.getDetail()
                        : "Its agent says nothing of this action: upgrade it.");
    }

    private static AttemptOutcome toOutcome(AttemptStatus status) {
        return switch (status.getOutcome()) {
            case ATTEMPT_OUTCOME_SUCCEEDED -> AttemptOutcome.SUCCEEDED;
            case ATTEMPT_OUTCOME_FAILED -> AttemptOutcome.FAILED;
            case ATTEMPT_OUTCOME_FAILED_ROLLBACK -> AttemptOutcome.FAILED_ROLLBACK;
            case ATTEMPT_OUTCOME_REFUSED -> AttemptOutcome.REFUSED;
            case ATTEMPT_OUTCOME_WITHDRAWN -> AttemptOutcome.WITHDRAWN;
            case ATTEMPT_OUTCOME_RESTORED -> AttemptOutcome.RESTORED;
            case ATTEMPT_OUTCOME_IN_PROGRESS, ATTEMPT_OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
                    AttemptOutcome.IN_PROGRESS;
        };
    }

    private static @Nullable UpgradePhase toPhaseOrNull(AttemptStatus status) {
        return switch (status.getPhase()) {
            case UPGRADE_PHASE_PREPARING -> UpgradePhase.PREPARING;
            case UPGRADE_PHASE_STOPPED -> UpgradePhase.STOPPED;
            case UPGRADE_PHASE_MUTATING -> UpgradePhase.MUTATING;
            case UPGRADE_PHASE_STARTING -> UpgradePhase.STARTING;
            case UPGRADE_PHASE_VERIFYING -> UpgradePhase.VERIFYING;
            case UPGRADE_PHASE_COMPENSATING -> UpgradePhase.COMPENSATING;
            case UPGRADE_PHASE_UNSPECIFIED, UNRECOGNIZED -> null;
        };
    }

    static NodeView.Present toPresentView(String session, Hello hello) {
        Map<BinaryName, ProgramView> programs = new HashMap<>();
        for (ProgramReport program : hello.getProgramsList()) {
            try {
                programs.put(new BinaryName(program.getName()), toProgramView(program));
            } catch (MalformedValue e) {
                LOG.debug(
                        "A program without a proper name can be upgraded by nobody reason={}",
                        e.getMessage());
            }
        }
        long floor = Math.max(hello.getHighestAttempt(), hello.getStatus().getAttempt());
        return new NodeView.Present(
                session, hello.getRuntime(), Set.copyOf(hello.getFeaturesList()), floor, programs);
    }

    private static ProgramView toProgramView(ProgramReport program) {
        String version = program.getVersion().isEmpty() ? "unknown" : program.getVersion();
        return new ProgramView(
                new Version(version),
                program.getRunningDigest(),
                program.getConfigDigest(),
                program.getRunning());
    }
}
