package drover.opsagent.engine;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.own.Itself;
import drover.opsagent.own.Itself.OwnJar;
import drover.opsagent.own.Versions;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.AgentVersion;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.Assignment;
import drover.opsagent.script.Before;
import drover.opsagent.script.Ending;
import drover.opsagent.script.Journal;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Seen;
import drover.opsagent.script.Work;
import drover.opsagent.trust.ReleaseGate;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks at the agent itself before it is replaced, and writes the first page of the journal. */
final class AgentPreparation {
    private final Itself itself;
    private final ReleaseGate releases;

    AgentPreparation(Itself itself, ReleaseGate releases) {
        this.itself = itself;
        this.releases = releases;
    }

    /**
     * The journal of an upgrade of the agent: ready to run, or over because it may not begin.
     *
     * @param release the signed release that came along; empty when there was none
     */
    Journal upgrade(Work.AgentUpgrade work, byte[] release, Function<Work, Assignment> assignment) {
        return switch (itself) {
            case Itself.Part() -> noJar(assignment.apply(work));
            case OwnJar own -> believed(own, work, release, assignment);
        };
    }

    /**
     * First of all: nothing is fetched for work that is not believed, and the agent least of all.
     */
    private Journal believed(
            OwnJar own,
            Work.AgentUpgrade work,
            byte[] release,
            Function<Work, Assignment> assignment) {
        try {
            Work.AgentUpgrade bounded = work.bounded(releases.admit(work, release));
            return upgrade(own, bounded, assignment.apply(bounded));
        } catch (ActionFailed | DiskFailure e) {
            Failures failure = Failures.of(e);
            return refused(assignment.apply(work), failure.reason(), failure.detail());
        }
    }

    private static Journal upgrade(OwnJar own, Work.AgentUpgrade work, Assignment assignment) {
        if (!AgentVersion.isOne(work.targetVersion())) {
            return refused(
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
            return refused(
                    assignment,
                    ReasonCode.DRIFTED,
                    "The agent is "
                            + own.digest().brief()
                            + ", neither source nor target: find out who changed it, then plan"
                            + " anew.");
        }
        if (own.digest().equals(work.artifact().digest())
                && !AgentVersion.of(work.targetVersion()).equals(own.place())) {
            return refused(
                    assignment,
                    ReasonCode.VERSION_TAKEN,
                    "These bytes run as version "
                            + own.place()
                            + " already: name that version, or another artifact.");
        }
        return Journal.accepted(
                assignment,
                new Before.Taken(own.digest().value(), Itself.CONFIG, List.of(), true, true));
    }

    /**
     * The same way towards the version before: its jar is on the disk still, and is found by its
     * bytes; where it is not, it is fetched again.
     */
    Journal restore(Work.Restore restore, Function<Work, Assignment> assignment) {
        return switch (itself) {
            case Itself.Part() -> noJar(assignment.apply(restore));
            case OwnJar own -> {
                Work.@Nullable AgentUpgrade back = back(own.versions(), restore);
                yield back == null
                        ? refused(
                                assignment.apply(restore),
                                ReasonCode.NO_BACKUP,
                                "The agent's version before is not on this node, and no address is"
                                        + " known: upgrade to the version you want instead.")
                        : back.artifact().url().isEmpty() // it is on the disk: nothing is fetched
                                ? upgrade(own, back, assignment.apply(back))
                                : believed(own, back, new byte[0], assignment);
            }
        };
    }

    private static Work.@Nullable AgentUpgrade back(Versions versions, Work.Restore restore) {
        Digest wanted = restore.expectedDigest();
        @Nullable AgentVersion kept = versions.holding(wanted);
        Work.@Nullable Previous previous = restore.previous();
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

    private static Journal noJar(Assignment assignment) {
        return refused(
                assignment,
                ReasonCode.NO_OWN_JAR,
                "This agent is part of something else and has no jar of its own: leave the node"
                        + " out.");
    }

    private static Journal refused(Assignment assignment, ReasonCode reason, String detail) {
        return Journal.closed(
                assignment, new Ending(AttemptOutcome.REFUSED, reason, detail, Seen.NOTHING, ""));
    }
}
