package drover.manifest.api;

import drover.kit.grpc.Refused;
import drover.manifest.check.Problem;
import drover.model.RefusalCode;
import java.util.List;

/** Refuses a file with its problems in one sentence. */
final class Invalid {
    private Invalid() {}

    /** The first problem and how many there are. */
    static Refused refusal(RefusalCode code, String what, List<Problem> problems) {
        String more =
                problems.size() == 1 ? "" : " (the first of " + problems.size() + " problems)";
        return new Refused(code, what + " cannot be used: " + problems.getFirst().shown() + more);
    }
}
