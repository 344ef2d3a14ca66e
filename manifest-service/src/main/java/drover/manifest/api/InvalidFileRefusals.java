package drover.manifest.api;

import drover.kit.grpc.Refused;
import drover.manifest.document.ValidationProblem;
import drover.model.RefusalCode;
import java.util.List;

/** Refuses a file with its problems in one sentence. */
final class InvalidFileRefusals {
    private InvalidFileRefusals() {}

    /** The first problem and how many there are. */
    static Refused refusal(RefusalCode code, String what, List<ValidationProblem> problems) {
        String more =
                problems.size() == 1 ? "" : " (the first of " + problems.size() + " problems)";
        return new Refused(code, what + " cannot be used: " + problems.getFirst().format() + more);
    }
}
