package drover.opsagent.engine;

import drover.opsagent.engine.attempt.AttemptOperations;
import drover.opsagent.engine.attempt.AttemptRunner;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.CommandAuthorizer;

/**
 * Creation of the runner of attempts, with the operations on programs and, if the agent can replace
 * itself, those on the agent.
 */
record AttemptRunnerFactory(
        StateDirectory state,
        JournalStore journals,
        NodeRuntime runtime,
        StatusSlot slot,
        Ticker ticker) {

    AttemptRunner create(
            SelfUpgradeDependencies replacement,
            CommandAuthorizer commands,
            RejectedCommands rejectedCommands) {
        AttemptOperations programs = new ProgramAttemptOperations(state, journals, runtime);
        AttemptOperations agents =
                switch (replacement.installation()) {
                    case AgentPackaging.Embedded() -> programs; // refused before it comes to that
                    case AgentPackaging.SelfUpgradable own ->
                            new AgentSelfUpgradeOperations(
                                    own,
                                    replacement.messages(),
                                    slot,
                                    ticker,
                                    replacement.exit(),
                                    commands,
                                    rejectedCommands::recordRejection);
                };
        return new AttemptRunner(
                journals,
                work -> work instanceof Work.AgentUpgrade ? agents : programs,
                ticker,
                slot::publish,
                slot::reportProgress);
    }
}
