package drover.opsagent.engine;

import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.opsagent.admission.AgentStateAtAdmission;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.PreconditionResult;
import drover.opsagent.plan.ProgramSnapshot;
import drover.opsagent.preflight.PreflightAdmissionRules;
import drover.opsagent.preflight.PreflightReport;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.UpgradePreflightInput;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.ReleaseAuthorizerAndRecorder;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Checks whether the eight actions of an upgrade could be done. It changes no unit, no container
 * and no attempt number; the only files that it writes are temporary ones, which it deletes.
 */
final class PreflightRunner {
    /** For all looks together: a slow server of artifacts takes most of it. */
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final StateDirectory state;
    private final NodeRuntime runtime;
    private final ReleaseAuthorizerAndRecorder releases;
    private final ProgramInspector view;
    private final Ticker ticker;

    PreflightRunner(
            StateDirectory state,
            NodeRuntime runtime,
            ReleaseAuthorizerAndRecorder releases,
            Ticker ticker) {
        this.state = state;
        this.runtime = runtime;
        this.releases = releases;
        this.view = new ProgramInspector(runtime);
        this.ticker = ticker;
    }

    /** Answers an asking. */
    PreflightReport run(PreflightRequest request, AgentStateAtAdmission context) {
        CommandWithContents delivery = request.command();
        return PreflightAdmissionRules.findRefusal(
                        request.preflightId(), delivery.command(), context)
                .orElseGet(() -> check(request));
    }

    private PreflightReport check(PreflightRequest request) {
        if (!(request.command().command().work()
                        instanceof ParsedCommand.WorkParseResult.Valid(Work work))
                || !(work instanceof Work.Upgrade upgrade)) {
            throw new IllegalStateException("The rules let nothing else pass");
        }
        PreflightFindingCollector checks =
                new PreflightFindingCollector(ticker.deadlineIn(TIMEOUT));
        ProgramProfile previous = state.loadProfile().findProgram(upgrade.programName());
        if (previous == null) {
            checks.run(
                    UpgradeAction.BACKUP_STATE,
                    () -> {
                        throw new ActionFailed(
                                ReasonCode.UNKNOWN_PROGRAM,
                                "This node has no program "
                                        + upgrade.programName()
                                        + ": leave the node out, or adopt the program.");
                    });
        } else {
            check(upgrade, previous, request.command(), checks);
        }
        return PreflightReport.ofChecks(request.preflightId(), checks.results());
    }

    private void check(
            Work.Upgrade requested,
            ProgramProfile previous,
            CommandWithContents delivery,
            PreflightFindingCollector checks) {
        OptionalLong signed = checkReleaseAndGetSize(requested, delivery.release(), checks);
        Work.Upgrade upgrade = requested.withSize(signed.orElse(0));
        checks.run(UpgradeAction.BACKUP_STATE, () -> requireSourceOrTarget(upgrade, previous));
        boolean spaceVerified =
                checks.run(
                        UpgradeAction.BACKUP_STATE,
                        () -> requireSpace(upgrade, previous, delivery));
        checks.run(
                UpgradeAction.WRITE_CONFIGS,
                () -> requirePlannedConfig(upgrade, previous, delivery));
        UpgradePreflightInput planned =
                new UpgradePreflightInput(
                        upgrade,
                        previous,
                        ProgramInspector.managedFilesAfter(upgrade, previous),
                        view.findFilesToWrite(upgrade, previous).stream()
                                .map(ConfigFile::path)
                                .toList(),
                        checkInstalled(upgrade, checks),
                        signed.isPresent(),
                        spaceVerified);
        runtime.checkUpgrade(planned, checks, checks.deadline());
    }

    /** How long the artifact is, as was signed; absent when the node's owner would not have it. */
    private OptionalLong checkReleaseAndGetSize(
            Work.Upgrade upgrade, byte[] release, PreflightFindingCollector checks) {
        return checks.evaluate(
                UpgradeAction.VERIFY_ARTIFACT,
                () -> OptionalLong.of(releases.dryRunAndGetSize(upgrade, release)),
                OptionalLong.empty());
    }

    /** What is there is what the upgrade begins on, or its target (D9). */
    private void requireSourceOrTarget(Work.Upgrade upgrade, ProgramProfile previous) {
        view.requireManagedFiles(upgrade, previous);
        ProgramSnapshot observed = view.readSnapshot(previous);
        switch (PreconditionResult.of(upgrade, observed)) {
            case PreconditionResult.PreconditionFailed(ReasonCode reason, String detail) ->
                    throw new ActionFailed(reason, detail);
            case PreconditionResult.Ready(), PreconditionResult.AlreadyDone() -> {}
        }
    }

    private void requireSpace(
            Work.Upgrade upgrade, ProgramProfile previous, CommandWithContents delivery) {
        Map<NodePath, Long> configs = new TreeMap<>();
        for (ConfigFile file : view.findFilesToWrite(upgrade, previous)) {
            byte[] content = delivery.contents().get(file.digest());
            configs.put(file.path(), content == null ? 0 : (long) content.length);
        }
        view.requireSpace(
                upgrade,
                view.readPreUpgradeState(upgrade, previous, view.readSnapshot(previous)),
                configs);
    }

    /** Files and launch specification make up what was planned, and all contents came along. */
    private void requirePlannedConfig(
            Work.Upgrade upgrade, ProgramProfile previous, CommandWithContents delivery) {
        for (ConfigFile file : upgrade.files()) {
            if (!delivery.contents().containsKey(file.digest())) {
                throw new ActionFailed(
                        ReasonCode.MALFORMED_BODY,
                        "The content of " + file.path() + " did not come along: ask again.");
            }
        }
        view.requireManagedFiles(upgrade, previous);
        view.requireTakenOverContents(upgrade, previous);
        if (!view.configDigestAfter(upgrade, previous).equals(upgrade.targetConfigDigest())) {
            throw new ActionFailed(
                    ReasonCode.MALFORMED_BODY,
                    "The files of this node and those that would be written do not make up the"
                            + " planned configuration: plan anew.");
        }
    }

    private boolean checkInstalled(Work.Upgrade upgrade, PreflightFindingCollector checks) {
        return checks.evaluate(
                UpgradeAction.INSTALL_ARTIFACT,
                () -> runtime.isInstalled(upgrade.spec(), upgrade.artifact().digest()),
                false);
    }
}
