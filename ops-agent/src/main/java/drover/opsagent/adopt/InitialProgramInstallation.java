package drover.opsagent.adopt;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ProgramSpec;
import java.util.Map;

/**
 * A program as it is first installed.
 *
 * @param version name of the version, for people
 * @param url where its artifact is
 * @param digest of its artifact
 * @param configFiles content of each managed file, in UTF-8
 */
public record InitialProgramInstallation(
        ProgramSpec spec,
        String version,
        String url,
        Digest digest,
        Map<NodePath, String> configFiles) {
    public InitialProgramInstallation {
        configFiles = Map.copyOf(configFiles);
    }
}
