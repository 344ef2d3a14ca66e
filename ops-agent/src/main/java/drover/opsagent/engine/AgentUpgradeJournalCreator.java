package drover.opsagent.engine;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.engine.attempt.FailureReasonAndDetail;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.selfupgrade.AgentPackaging.SelfUpgradable;
import drover.opsagent.selfupgrade.AgentVersionNumber;
import drover.opsagent.selfupgrade.AgentVersionsDirectory;
import drover.opsagent.trust.ReleaseAuthorizerAndRecorder;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks at the agent itself before it is replaced, and writes the first page of the journal. */
final class AgentUpgradeJournalCreator {
    private final AgentPackaging itself;
    private final ReleaseAuthorizerAndRecorder releases;

    AgentUpgradeJournalCreator(AgentPackaging itself, ReleaseAuthorizerAndRecorder releases) {
        this.itself = itself;
        this.releases = releases;
    }

    /**
     * The journal of an upgrade of the agent: ready to run, or over because it may not begin.
     *
     * @param release the signed release that came along; empty when there was none
     */
    Journal prepareUpgrade(
            Work.AgentUpgrade work, byte[] release, Function<Work, Assignment> assignment) {
        return switch (itself) {
            case AgentPackaging.Embedded() -> embeddedRefusal(assignment.apply(work));
            case SelfUpgradable own -> authorizeAndPrepare(own, work, release, assignment);
        };
    }

    /**
     * First of all: nothing is fetched for work that is not believed, and the agent least of all.
     */
    private Journal authorizeAndPrepare(
            SelfUpgradable own,
            Work.AgentUpgrade work,
            byte[] release,
            Function<Work, Assignment> assignment) {
        try {
            Work.AgentUpgrade bounded = work.withSize(releases.authorizeAndGetSize(work, release));
            return prepareUpgrade(own, bounded, assignment.apply(bounded));
        } catch (ActionFailed | DiskFailure e) {
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            return refusedJournal(assignment.apply(work), failure.reason(), failure.detail());
        }
    }

    private static Journal prepareUpgrade(
            SelfUpgradable own, Work.AgentUpgrade work, Assignment assignment) {
        if (!AgentVersionNumber.isValid(work.targetVersion())) {
            return refusedJournal(
                    assignment,
                    ReasonCode.MALFORMED_BODY,
                    "An agent's version is MAJOR.MINOR.PATCH, with +BUILD at most: '"
                            + work.targetVersion()
                            + "' is not that.");
        }
        boolean known =
                work.sourceDigest().isEmpty()
                        || own.digest().value().equals(work.sourceDigest())
                        || own.digest().equals(work.artifact().digest());
        if (!known) {
            return refusedJournal(
                    assignment,
                    ReasonCode.DRIFTED,
                    "The agent is "
                            + own.digest().shortHex()
                            + ", neither source nor target: find out who changed it, then plan"
                            + " anew.");
        }
        if (own.digest().equals(work.artifact().digest())
                && !AgentVersionNumber.of(work.targetVersion()).equals(own.directoryVersion())) {
            return refusedJournal(
                    assignment,
                    ReasonCode.VERSION_TAKEN,
                    "These bytes run as version "
                            + own.directoryVersion()
                            + " already: name that version, or another artifact.");
        }
        return Journal.accepted(
                assignment,
                new PreUpgradeState.Recorded(
                        own.digest().value(), AgentPackaging.CONFIG, List.of(), true, true));
    }

    /**
     * The same way towards the version before: its jar is on the disk still, and is found by its
     * bytes; where it is not, it is fetched again.
     */
    Journal prepareRestore(Work.Restore restore, Function<Work, Assignment> assignment) {
        return switch (itself) {
            case AgentPackaging.Embedded() -> embeddedRefusal(assignment.apply(restore));
            case SelfUpgradable own -> {
                Work.@Nullable AgentUpgrade back = findRestoreWork(own.versions(), restore);
                yield back == null
                        ? refusedJournal(
                                assignment.apply(restore),
                                ReasonCode.NO_BACKUP,
                                "The agent's version before is not on this node, and no address is"
                                        + " known: upgrade to the version you want instead.")
                        : back.artifact().url().isEmpty() // it is on the disk: nothing is fetched
                                ? prepareUpgrade(own, back, assignment.apply(back))
                                : authorizeAndPrepare(own, back, new byte[0], assignment);
            }
        };
    }

    private static Work.@Nullable AgentUpgrade findRestoreWork(
            AgentVersionsDirectory versions, Work.Restore restore) {
        Digest wanted = restore.expectedDigest();
        @Nullable AgentVersionNumber kept = versions.findByDigest(wanted);
        Work.@Nullable PreviousArtifactToReinstall previous = restore.previous();
        String installed = previous == null ? "" : previous.installed().value();
        if (kept != null) {
            return new Work.AgentUpgrade(
                    kept.toString(), new Artifact("", wanted, 0), installed, restore.ofAttempt());
        }
        return previous == null
                ? null
                : new Work.AgentUpgrade(
                        previous.version(), previous.artifact(), installed, restore.ofAttempt());
    }

    private static Journal embeddedRefusal(Assignment assignment) {
        return refusedJournal(
                assignment,
                ReasonCode.NO_OWN_JAR,
                "This agent is part of something else and has no jar of its own: leave the node"
                        + " out.");
    }

    private static Journal refusedJournal(Assignment assignment, ReasonCode reason, String detail) {
        return Journal.neverStarted(
                assignment,
                new AttemptResult(
                        AttemptOutcome.REFUSED, reason, detail, ObservedProgram.NOTHING, ""));
    }
}
