package drover.coordinator.peers;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import drover.agent.v1.ActionReport;
import drover.coordinator.trace.TracedAttempt;
import java.time.Instant;
import java.util.List;

/** What agents did in an attempt, as traces tell it. */
public final class ActionReportProtos {
    private static final long LATEST =
            Instant.parse("2200-01-01T00:00:00Z").getEpochSecond(); // nanoseconds fit 64 bits

    private ActionReportProtos() {}

    /** The actions in a stored status; an unreadable one tells of none. */
    public static List<TracedAttempt.Action> parseActions(byte[] status) {
        return AgentReportConverter.parseOrDefault(status).getActionsList().stream()
                .filter(report -> report.hasStartedAt() && isValidTime(report.getStartedAt()))
                .map(ActionReportProtos::toAction)
                .toList();
    }

    /** An action without an end was cut off by the end of its attempt. */
    private static TracedAttempt.Action toAction(ActionReport report) {
        return new TracedAttempt.Action(
                report.getName(),
                toInstant(report.getStartedAt()),
                toInstant(
                        report.hasEndedAt() && isValidTime(report.getEndedAt())
                                ? report.getEndedAt()
                                : report.getStartedAt()),
                toOutcomeText(report),
                report.getDetail());
    }

    private static String toOutcomeText(ActionReport report) {
        return switch (report.getOutcome()) {
            case ACTION_OUTCOME_RUNNING -> "running";
            case ACTION_OUTCOME_DONE -> "done";
            case ACTION_OUTCOME_ALREADY_DONE -> "already_done";
            case ACTION_OUTCOME_FAILED -> "failed";
            case ACTION_OUTCOME_COMPENSATED -> "compensated";
            case ACTION_OUTCOME_UNSPECIFIED, UNRECOGNIZED -> "unknown";
        };
    }

    /** Whether traces can write it; statuses that were stored before it was checked may differ. */
    private static boolean isValidTime(Timestamp time) {
        return Timestamps.isValid(time) && time.getSeconds() >= 0 && time.getSeconds() <= LATEST;
    }

    static Instant toInstant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }
}
