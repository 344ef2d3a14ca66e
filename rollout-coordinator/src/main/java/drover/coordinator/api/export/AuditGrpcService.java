package drover.coordinator.api.export;

import drover.audit.v1.AuditFinding;
import drover.audit.v1.AuditProblem;
import drover.audit.v1.AuditServiceGrpc;
import drover.audit.v1.VerifyHistoryRequest;
import drover.audit.v1.VerifyHistoryResponse;
import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.engine.export.AllHistoriesVerifier;
import drover.coordinator.store.audit.HistoryChecker.ChainBreak;
import drover.coordinator.store.audit.HistoryChecker.CheckedHistory;
import io.grpc.stub.StreamObserver;

/** The check of the history, for auditors. */
public final class AuditGrpcService extends AuditServiceGrpc.AuditServiceImplBase {
    private final AllHistoriesVerifier walk;

    /** A door over this walk. */
    public AuditGrpcService(AllHistoriesVerifier walk) {
        this.walk = walk;
    }

    @Override
    public void verifyHistory(
            VerifyHistoryRequest request, StreamObserver<VerifyHistoryResponse> out) {
        AllHistoriesVerifier.Page part = walk.verifyFrom(request.getPageToken());
        VerifyHistoryResponse.Builder response =
                VerifyHistoryResponse.newBuilder()
                        .setHistories(part.checked().size())
                        .setEntries(part.checked().stream().mapToLong(CheckedHistory::rows).sum())
                        .setNextPageToken(part.next());
        part.checked()
                .forEach(
                        history ->
                                history.breaks()
                                        .forEach(
                                                broken ->
                                                        response.addFindings(
                                                                toFinding(history, broken))));
        RolloutIdCallHelpers.respond(out, response.build());
    }

    private static AuditFinding toFinding(CheckedHistory history, ChainBreak broken) {
        AuditFinding.Builder finding =
                AuditFinding.newBuilder()
                        .setEntry(broken.seq())
                        .setProblem(toProblem(broken))
                        .setSentence(problemSentence(broken));
        return switch (history.kind()) {
            case ROLLOUT -> finding.setRolloutId(history.id()).build();
            case GROUP -> finding.setGroupId(history.id()).build();
            case KEYS -> finding.setKeys(true).setKeyId(broken.key()).build();
        };
    }

    private static AuditProblem toProblem(ChainBreak broken) {
        return switch (broken.problem()) {
            case MODIFIED -> AuditProblem.AUDIT_PROBLEM_MODIFIED;
            case BROKEN_CHAIN -> AuditProblem.AUDIT_PROBLEM_BROKEN_CHAIN;
            case TRUNCATED -> AuditProblem.AUDIT_PROBLEM_TRUNCATED;
            case KEY_MISMATCH -> AuditProblem.AUDIT_PROBLEM_KEY_MISMATCH;
        };
    }

    private static String problemSentence(ChainBreak broken) {
        return switch (broken.problem()) {
            case MODIFIED ->
                    "Entry " + broken.seq() + " does not say what it said when it was written.";
            case BROKEN_CHAIN ->
                    "Entry "
                            + broken.seq()
                            + " does not follow the one before it: something was taken out, put in,"
                            + " or changed places.";
            case TRUNCATED -> "The last entry is not the one that was written last.";
            case KEY_MISMATCH ->
                    "The key "
                            + broken.key()
                            + (broken.seq() == 0
                                    ? " was made by nobody the history tells of"
                                    : " is not what entry " + broken.seq() + " says of it")
                            + ": revoke it, unless you know who changed it.";
        };
    }
}
