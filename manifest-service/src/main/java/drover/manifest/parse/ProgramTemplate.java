package drover.manifest.parse;

import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ProgramDigestSource;
import drover.model.program.StopSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program of a profile, as written: arguments, the values of the environment, the fields of
 * probes and the endpoint of the cluster member are templates.
 *
 * @param service unit or container name; empty where the runtime needs none
 * @param user operating system user; empty for the agent's own
 * @param configs files every node has from the start
 * @param stop how it is stopped
 * @param cluster how the state of its cluster is read; empty if it is no member of one
 */
public record ProgramTemplate(
        BinaryName name,
        NodePath path,
        String service,
        List<String> arguments,
        Map<String, String> environment,
        String user,
        ProgramDigestSource identity,
        List<ProbeTemplate> probes,
        List<TemplatedConfigFile> configs,
        StopSettings stop,
        Optional<ClusterProbeTemplate> cluster) {
    public ProgramTemplate {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        probes = List.copyOf(probes);
        configs = List.copyOf(configs);
    }

    /** Files that the program may change. */
    public List<NodePath> programWritableFiles() {
        return configs.stream()
                .filter(config -> config.managed().mayProgramWrite())
                .map(TemplatedConfigFile::path)
                .toList();
    }

    /** The file of a manifest that only the program writes after its installation, if any. */
    public Optional<NodePath> findManagedOnce(List<TemplatedConfigFile> changes) {
        List<NodePath> once =
                configs.stream()
                        .filter(config -> config.managed() == ConfigWritePolicy.ONCE)
                        .map(TemplatedConfigFile::path)
                        .toList();
        return changes.stream().map(TemplatedConfigFile::path).filter(once::contains).findFirst();
    }

    /** Why a manifest may not change such a file, for people. */
    public static String describeManagedOnce(NodePath path) {
        return "The chain profile says 'managed: once' for "
                + path
                + ", so only the program writes it: leave it out of config_changes, or set"
                + " 'managed: merge' in the profile.";
    }
}
