package drover.opsagent.script;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.ProgramSpec;
import java.util.List;

/** What an attempt is to do: references, never instructions. */
public sealed interface Work {
    /** Name of the program concerned; empty when the work is about the node. */
    String programName();

    /**
     * Upgrade one program.
     *
     * @param sourceConfigDigest configuration digest that must be there; empty when any will do
     */
    record Upgrade(
            ProgramSpec spec,
            String targetVersion,
            Artifact artifact,
            List<ConfigFile> files,
            Digest sourceDigest,
            String sourceConfigDigest,
            Digest targetConfigDigest)
            implements Work {
        public Upgrade {
            files = List.copyOf(files);
        }

        @Override
        public String programName() {
            return spec.name().value();
        }

        /** The program file under the node's root. */
        public NodePath path() {
            return spec.launch().path();
        }
    }

    /** Bring back what ran before an attempt, from that attempt's backup. */
    record Restore(
            String programName, long ofAttempt, Digest expectedDigest, Digest expectedConfigDigest)
            implements Work {}

    /** Clear a sticky failure. */
    record Clear(String because) implements Work {
        @Override
        public String programName() {
            return "";
        }
    }

    /** Nothing: the attempt was refused or withdrawn before it could be read. */
    record Nothing() implements Work {
        @Override
        public String programName() {
            return "";
        }
    }
}
