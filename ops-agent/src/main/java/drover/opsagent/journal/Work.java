package drover.opsagent.journal;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.program.ProgramSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an attempt is to do: references, never instructions. */
public sealed interface Work {
    /** Name of the program concerned; empty when the work is about the node. */
    String programName();

    /** Work that fetches something and lets it run: what a node's owner may want signed. */
    sealed interface Install extends Work {
        /** As the command writes it. */
        String targetVersion();

        /** What is fetched. */
        Artifact artifact();

        /** Configuration files that are written. */
        List<ConfigFile> files();

        /** The attempt that is undone by it; 0 when this is no way back. */
        long undoes();
    }

    /**
     * Upgrade one program.
     *
     * @param sourceConfigDigest configuration digest that must be there; empty when any will do
     * @param undoes the attempt that is undone by installing what ran before it anew; 0 when this
     *     is no way back
     */
    record Upgrade(
            ProgramSpec spec,
            String targetVersion,
            Artifact artifact,
            List<ConfigFile> files,
            Digest sourceDigest,
            String sourceConfigDigest,
            Digest targetConfigDigest,
            long undoes)
            implements Install {
        public Upgrade {
            files = List.copyOf(files);
        }

        /** An upgrade that is no way back. */
        public Upgrade(
                ProgramSpec spec,
                String targetVersion,
                Artifact artifact,
                List<ConfigFile> files,
                Digest sourceDigest,
                String sourceConfigDigest,
                Digest targetConfigDigest) {
            this(
                    spec,
                    targetVersion,
                    artifact,
                    files,
                    sourceDigest,
                    sourceConfigDigest,
                    targetConfigDigest,
                    0);
        }

        /** The same with exactly this size, where one is known from elsewhere; 0 says nothing. */
        public Upgrade withSize(long size) {
            Artifact sized = new Artifact(artifact.url(), artifact.digest(), size);
            return size == 0
                    ? this
                    : new Upgrade(
                            spec,
                            targetVersion,
                            sized,
                            files,
                            sourceDigest,
                            sourceConfigDigest,
                            targetConfigDigest,
                            undoes);
        }

        /** How it ends when what it installs is proven to run. */
        public AttemptOutcome successOutcome() {
            return undoes == 0 ? AttemptOutcome.SUCCEEDED : AttemptOutcome.RESTORED;
        }

        @Override
        public String programName() {
            return spec.name().value();
        }
    }

    /**
     * Bring back what ran before an attempt, from that attempt's backup.
     *
     * @param previous what to install where there is no backup; null when nothing may be
     */
    record Restore(
            String programName,
            long ofAttempt,
            Digest expectedDigest,
            Digest expectedConfigDigest,
            @Nullable PreviousArtifactToReinstall previous)
            implements Work {
        /** From the backup alone. */
        public Restore(
                String programName,
                long ofAttempt,
                Digest expectedDigest,
                Digest expectedConfigDigest) {
            this(programName, ofAttempt, expectedDigest, expectedConfigDigest, null);
        }
    }

    /**
     * What ran before an attempt that changed no configuration.
     *
     * @param installed digest that the attempt installed
     */
    record PreviousArtifactToReinstall(Artifact artifact, String version, Digest installed) {}

    /**
     * Replace the agent itself.
     *
     * @param artifact its single jar
     * @param sourceDigest of the agent that must run before; empty when any will do
     * @param undoes the attempt that is undone by this; 0 when this is no way back
     */
    record AgentUpgrade(String targetVersion, Artifact artifact, String sourceDigest, long undoes)
            implements Install {
        /** What an agent calls itself among its node's programs. */
        public static final String PROGRAM = "drover-agent";

        /** The same with exactly this size, where one is known from elsewhere; 0 says nothing. */
        public AgentUpgrade withSize(long size) {
            Artifact sized = new Artifact(artifact.url(), artifact.digest(), size);
            return size == 0 ? this : new AgentUpgrade(targetVersion, sized, sourceDigest, undoes);
        }

        /** An agent has no configuration of its own that could be written. */
        @Override
        public List<ConfigFile> files() {
            return List.of();
        }

        /** How it ends when what it installs has taken over. */
        public AttemptOutcome successOutcome() {
            return undoes == 0 ? AttemptOutcome.SUCCEEDED : AttemptOutcome.RESTORED;
        }

        @Override
        public String programName() {
            return PROGRAM;
        }
    }

    /** Clear a sticky failure. */
    record ClearFailure(String because) implements Work {
        @Override
        public String programName() {
            return "";
        }
    }

    /** Nothing: the attempt was refused or withdrawn before it could be read. */
    record UnreadWork() implements Work {
        @Override
        public String programName() {
            return "";
        }
    }
}
