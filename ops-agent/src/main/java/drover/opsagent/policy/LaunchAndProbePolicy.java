package drover.opsagent.policy;

import drover.model.NodePath;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramSpec;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Limits of a node's owner for the command lines and probes that a command brings along.
 *
 * @param exec programs that a probe may run
 * @param user account that runs them if the agent is root
 * @param addresses that probes may connect to in addition to the node's own
 * @param interpreters programs that a command line may start with instead of the installed file
 * @param drivers cluster drivers that the agent may run
 * @param unsignedAgent whether an unsigned agent may replace this one
 */
public record LaunchAndProbePolicy(
        Set<NodePath> exec,
        String user,
        List<AddressRange> addresses,
        Set<NodePath> interpreters,
        Set<NodePath> drivers,
        boolean unsignedAgent) {
    /** Account without files and processes of its own. */
    public static final String DEFAULT_USER = "nobody";

    /** Allows nothing beyond the installed program and the node itself. */
    public static final LaunchAndProbePolicy NONE =
            new LaunchAndProbePolicy(Set.of(), DEFAULT_USER, List.of(), Set.of(), Set.of(), false);

    private static final String PATH = "{path}";

    /** Variables that make the loader, a shell or an interpreter run other code. */
    private static final Set<String> CODE =
            Set.of(
                    "PATH",
                    "ENV",
                    "BASH_ENV",
                    "IFS",
                    "GCONV_PATH",
                    "GLIBC_TUNABLES",
                    "JAVA_TOOL_OPTIONS",
                    "JDK_JAVA_OPTIONS",
                    "_JAVA_OPTIONS",
                    "JAVA_OPTS",
                    "CLASSPATH",
                    "NODE_OPTIONS",
                    "NODE_PATH");

    private static final List<String> CODE_PREFIXES =
            List.of("LD_", "DYLD_", "BASH_FUNC_", "PYTHON", "PERL", "RUBY");

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException with one sentence if probes would run as root
     */
    public LaunchAndProbePolicy {
        exec = Set.copyOf(exec);
        addresses = List.copyOf(addresses);
        interpreters = Set.copyOf(interpreters);
        drivers = Set.copyOf(drivers);
        if (!user.matches("[a-z_][a-z0-9_.-]{0,31}") || user.equals("root")) {
            throw new IllegalArgumentException(
                    "The policy lists '" + user + "', which is no unprivileged user for probes.");
        }
    }

    /** States why this program may not be launched or probed; empty if it may. */
    Optional<String> findRefusal(ProgramSpec spec) {
        Optional<String> launch = findRefusal(spec.launch());
        if (launch.isPresent()) {
            return launch;
        }
        for (Probe probe : spec.probes()) {
            if (probe.check() instanceof Probe.Check.Exec(List<String> command)) {
                Optional<String> refused = findRefusal(command);
                if (refused.isPresent()) {
                    return refused.map(why -> "Probe " + probe.name() + ": " + why);
                }
            }
        }
        return Optional.empty();
    }

    /** The same for the command of one probe. */
    Optional<String> findRefusal(List<String> command) {
        String program = command.isEmpty() ? "" : command.getFirst();
        return isListed(exec, program)
                ? Optional.empty()
                : Optional.of(
                        "This node's policy does not allow probes to run '"
                                + program
                                + "': let its owner list it under probes.exec.");
    }

    /** The same for the executable of a cluster driver. */
    Optional<String> findDriverRefusal(String executable) {
        return isListed(drivers, executable)
                ? Optional.empty()
                : Optional.of(
                        "This node's policy does not allow the cluster driver '"
                                + executable
                                + "': let its owner list it under drivers.");
    }

    private Optional<String> findRefusal(LaunchSpec launch) {
        List<String> line = launch.arguments();
        boolean direct = line.isEmpty() || line.getFirst().equals(PATH);
        boolean interpreted =
                !direct
                        && isListed(interpreters, line.getFirst())
                        && line.subList(1, line.size()).contains(PATH);
        if (!direct && !interpreted) {
            return Optional.of(
                    "The command line starts with '"
                            + line.getFirst()
                            + "': start it with {path}, or let the node's owner list that program"
                            + " under interpreters and pass {path} to it.");
        }
        return new TreeSet<>(launch.environment().keySet())
                .stream()
                        .filter(LaunchAndProbePolicy::canInjectCode)
                        .findFirst()
                        .map(
                                name ->
                                        "The launch specification sets "
                                                + name
                                                + ", which makes other code run: remove it.");
    }

    private static boolean canInjectCode(String variable) {
        return CODE.contains(variable) || CODE_PREFIXES.stream().anyMatch(variable::startsWith);
    }

    private static boolean isListed(Set<NodePath> listed, String program) {
        return listed.stream().anyMatch(path -> path.value().equals(program));
    }
}
