package drover.opsagent.journal;

import drover.model.Digest;
import drover.model.NodePath;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was on the node before an attempt: journalled before the first mutation, and one of the
 * three that must agree before anything is restored (D10).
 */
public sealed interface PreUpgradeState {
    /** Nothing was looked at, because nothing was going to be touched. */
    record NotNeeded() implements PreUpgradeState {}

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
     * @param attributes permissions, owner and extended attributes in one line; empty when it was
     *     absent; null in journals of agents that did not record them
     */
    record FileState(NodePath path, String digest, @Nullable String attributes) {
        /** Whether there was a file. */
        public boolean existed() {
            return !digest.isEmpty();
        }

        /** Whether a file is as this one was. Its time is not compared: a program may touch it. */
        public boolean matches(String otherDigest, String otherAttributes) {
            return digest.equals(otherDigest)
                    && (attributes == null || attributes.equals(otherAttributes));
        }
    }

    /** What was there, or a bug when it was never looked at. */
    default Recorded requireRecorded() {
        return switch (this) {
            case Recorded taken -> taken;
            case NotNeeded() ->
                    throw new IllegalStateException(
                            "The node was not looked at before the attempt");
        };
    }
}
