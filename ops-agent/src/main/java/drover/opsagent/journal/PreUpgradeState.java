package drover.opsagent.journal;

import drover.model.Digest;
import drover.model.NodePath;
import java.util.List;

/**
 * What was on the node before an attempt: journalled before the first mutation, and one of the
 * three that must agree before anything is restored (D10).
 */
public sealed interface PreUpgradeState {
    /** Nothing was looked at, because nothing was going to be touched. */
    record NotRecorded() implements PreUpgradeState {}

    /**
     * What was there.
     *
     * @param digest of the program: of what ran, else of its file; empty when there was none
     * @param configDigest over managed files and launch specification
     * @param files every file the attempt may write, the program file first
     * @param wanted whether the program was meant to run
     * @param alive whether it ran at that moment, and did not fall over again and again
     */
    record Recorded(
            String digest,
            Digest configDigest,
            List<FileState> files,
            boolean wanted,
            boolean alive)
            implements PreUpgradeState {
        public Recorded {
            files = List.copyOf(files);
        }
    }

    /**
     * A file as it was.
     *
     * @param digest of its content; empty when it was absent
     */
    record FileState(NodePath path, String digest) {
        /** Whether there was a file. */
        public boolean existed() {
            return !digest.isEmpty();
        }
    }

    /** What was there, or a bug when it was never looked at. */
    default Recorded requireRecorded() {
        return switch (this) {
            case Recorded taken -> taken;
            case NotRecorded() ->
                    throw new IllegalStateException(
                            "The node was not looked at before the attempt");
        };
    }
}
