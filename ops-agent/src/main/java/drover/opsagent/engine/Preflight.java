package drover.opsagent.engine;

import drover.model.UpgradeAction;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.PlannedUpgrade;
import drover.opsagent.script.Before;
import drover.opsagent.script.ConfigFile;
import drover.opsagent.script.Observed;
import drover.opsagent.script.PreflightReport;
import drover.opsagent.script.PreflightRules;
import drover.opsagent.script.Readiness;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Request;
import drover.opsagent.script.Standing;
import drover.opsagent.script.Work;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.ReleaseGate;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Looks whether the eight actions of an upgrade could be done, and changes nothing: no file, no
 * unit, no container, and no attempt number. What shows only by doing it stays for the upgrade.
 */
final class Preflight {
    /** For all looks together: a slow server of artifacts takes most of it. */
    static final Duration TIME = Duration.ofSeconds(20);

    private final StateDirectory state;
    private final NodeRuntime runtime;
    private final ReleaseGate releases;
    private final NodeView view;
    private final Ticker ticker;

    Preflight(StateDirectory state, NodeRuntime runtime, ReleaseGate releases, Ticker ticker) {
        this.state = state;
        this.runtime = runtime;
        this.releases = releases;
        this.view = new NodeView(runtime);
        this.ticker = ticker;
    }

    /** Answers an asking. */
    PreflightReport answer(PreflightAsked asked, Standing standing) {
        Delivery delivery = asked.delivery();
        return PreflightRules.refusal(asked.preflightId(), delivery.request(), standing)
                .orElseGet(() -> look(asked));
    }

    private PreflightReport look(PreflightAsked asked) {
        if (!(asked.delivery().request().work() instanceof Request.Reading.Asked(Work work))
                || !(work instanceof Work.Upgrade upgrade)) {
            throw new IllegalStateException("The rules let nothing else pass");
        }
        FoundChecks checks = new FoundChecks(ticker.in(TIME));
        ProgramProfile previous = state.profile().program(upgrade.programName());
        if (previous == null) {
            checks.on(
                    UpgradeAction.BACKUP_STATE,
                    () -> {
                        throw new ActionFailed(
                                ReasonCode.UNKNOWN_PROGRAM,
                                "This node has no program "
                                        + upgrade.programName()
                                        + ": leave the node out, or adopt the program.");
                    });
        } else {
            look(upgrade, previous, asked.delivery(), checks);
        }
        return PreflightReport.found(asked.preflightId(), checks.all());
    }

    private void look(
            Work.Upgrade asked, ProgramProfile previous, Delivery delivery, FoundChecks checks) {
        OptionalLong signed = signedLength(asked, delivery.release(), checks);
        Work.Upgrade upgrade = asked.bounded(signed.orElse(0));
        checks.on(UpgradeAction.BACKUP_STATE, () -> requireSource(upgrade, previous));
        checks.on(UpgradeAction.BACKUP_STATE, () -> requireRoom(upgrade, previous, 0));
        checks.on(
                UpgradeAction.VERIFY_ARTIFACT,
                () ->
                        requireRoom(
                                upgrade,
                                previous,
                                upgrade.files().size() * (long) UpgradeActions.LARGEST_CONTENT));
        checks.on(UpgradeAction.WRITE_CONFIGS, () -> requirePlanned(upgrade, previous, delivery));
        PlannedUpgrade planned =
                new PlannedUpgrade(
                        upgrade,
                        previous,
                        NodeView.after(upgrade, previous).managedFiles(),
                        isInstalled(upgrade, checks),
                        signed.isPresent());
        runtime.check(planned, checks, checks.deadline());
    }

    /** How long the artifact is, as was signed; absent when the node's owner would not have it. */
    private OptionalLong signedLength(Work.Upgrade upgrade, byte[] release, FoundChecks checks) {
        OptionalLong[] length = {OptionalLong.empty()};
        checks.on(
                UpgradeAction.VERIFY_ARTIFACT,
                () -> length[0] = OptionalLong.of(releases.look(upgrade, release)));
        return length[0];
    }

    /** What is there is what the upgrade begins on, or its target (D9). */
    private void requireSource(Work.Upgrade upgrade, ProgramProfile previous) {
        Observed observed = view.observe(previous);
        switch (Readiness.of(upgrade, observed)) {
            case Readiness.NotReady(ReasonCode reason, String detail) ->
                    throw new ActionFailed(reason, detail);
            case Readiness.Ready(), Readiness.AlreadyThere() -> {}
        }
    }

    /** The copies, and the artifact twice: staged, and beside its target (D16). */
    private void requireRoom(Work.Upgrade upgrade, ProgramProfile previous, long more) {
        Before.Taken before = view.before(upgrade, previous, view.observe(previous));
        long copies = before.files().stream().mapToLong(it -> runtime.sizeOf(it.path())).sum();
        runtime.requireRoom(
                copies + 2 * upgrade.artifact().size() + UpgradeActions.MARGIN_BYTES + more);
    }

    /** Files and launch specification make up what was planned, and all contents came along. */
    private void requirePlanned(Work.Upgrade upgrade, ProgramProfile previous, Delivery delivery) {
        for (ConfigFile file : upgrade.files()) {
            if (!delivery.contents().containsKey(file.digest())) {
                throw new ActionFailed(
                        ReasonCode.MALFORMED_BODY,
                        "The content of " + file.path() + " did not come along: ask again.");
            }
        }
        if (!view.configDigestAfter(upgrade, previous).equals(upgrade.targetConfigDigest())) {
            throw new ActionFailed(
                    ReasonCode.MALFORMED_BODY,
                    "The files of this node and those that would be written do not make up the"
                            + " planned configuration: plan anew.");
        }
    }

    private boolean isInstalled(Work.Upgrade upgrade, FoundChecks checks) {
        boolean[] installed = new boolean[1];
        checks.on(
                UpgradeAction.INSTALL_ARTIFACT,
                () ->
                        installed[0] =
                                runtime.isInstalled(upgrade.spec(), upgrade.artifact().digest()));
        return installed[0];
    }
}
