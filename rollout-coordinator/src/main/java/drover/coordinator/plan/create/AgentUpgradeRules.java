package drover.coordinator.plan.create;

import drover.coordinator.plan.create.CreationFieldRules.Refusal;
import drover.coordinator.plan.model.ProgramKind;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a rollout that upgrades agents must be, beside what every rollout must (seed 001). */
public final class AgentUpgradeRules {
    /** The directory of a version is named by it, without what names a build. */
    private static final Pattern VERSION =
            Pattern.compile("[0-9]{1,9}\\.[0-9]{1,9}\\.[0-9]{1,9}(\\+[0-9A-Za-z.-]+)?");

    private AgentUpgradeRules() {}

    /** Why an upgrade of agents cannot be created so; empty for every other rollout. */
    public static Optional<Refusal> findRefusal(UnvalidatedCreationRequest request) {
        if (!request.binary().equals(BinaryName.AGENT.value())) {
            return Optional.empty();
        }
        if (!request.chain().equals(ProgramKind.AGENTS.value())) {
            return invalidFieldRefusal(
                    "chain_profile_id",
                    "Agents of every chain are upgraded by rollouts of the chain profile "
                            + ProgramKind.AGENTS
                            + "; give that one.");
        }
        if (!request.changes().isEmpty()) {
            return invalidFieldRefusal(
                    "config_changes",
                    "An agent's configuration is its owner's: leave config_changes out.");
        }
        if (!VERSION.matcher(request.targetVersion()).matches()) {
            return invalidFieldRefusal(
                    "target_version",
                    "An agent's version is three numbers such as 1.4.0, perhaps with a build behind"
                            + " a plus: its directory on the node is named by it.");
        }
        return Optional.empty();
    }

    private static Optional<Refusal> invalidFieldRefusal(String field, String sentence) {
        return Optional.of(new Refusal(RefusalCode.INVALID_FIELD, field, sentence));
    }
}
