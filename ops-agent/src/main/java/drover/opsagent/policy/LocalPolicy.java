package drover.opsagent.policy;

import drover.model.NodePath;
import drover.model.program.ProgramSpec;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the owner of this node lets an agent touch. Every write is asked for here, whatever command,
 * profile or manifest it comes from.
 *
 * @param bounded whether only what is listed may be touched; otherwise everything under the node's
 *     root
 * @param roots directories under which programs and configuration may be written
 * @param units systemd units that may be started and stopped, and whose own files may be written
 * @param containers names of containers that may be replaced
 * @param hosts from which artifacts may come; empty for every public one
 * @param signatures what must be signed before it is used
 * @param programs limits for command lines and probes; without bounds only addresses, user and
 *     drivers count
 */
public record LocalPolicy(
        boolean bounded,
        List<NodePath> roots,
        Set<String> units,
        Set<String> containers,
        Set<String> hosts,
        SignaturePolicy signatures,
        LaunchAndProbePolicy programs) {
    /** For a node whose root is a directory of its own: everything in it. */
    public static final LocalPolicy WHOLE_ROOT =
            new LocalPolicy(false, List.of(), Set.of(), Set.of(), Set.of());

    private static final NodePath UNITS = new NodePath("/etc/systemd/system");

    /**
     * Whoever may write here may become root or come back uninvited, so no root contains them, lies
     * in them, or is one of them (SECURITY, safe path handling).
     */
    private static final List<String> NEVER =
            List.of(
                    "/etc/sudoers",
                    "/etc/sudoers.d",
                    "/etc/ssh",
                    "/root",
                    "/etc/cron",
                    "/etc/crontab",
                    "/etc/anacrontab",
                    "/etc/cron.d",
                    "/etc/cron.hourly",
                    "/etc/cron.daily",
                    "/etc/cron.weekly",
                    "/etc/cron.monthly",
                    "/var/spool/cron",
                    "/etc/ld.so.conf",
                    "/etc/ld.so.conf.d",
                    "/etc/ld.so.preload",
                    "/etc/ld.so.cache",
                    "/etc/passwd",
                    "/etc/group",
                    "/etc/shadow",
                    "/etc/pam.d",
                    "/etc/polkit-1",
                    "/etc/systemd",
                    "/usr/lib/systemd",
                    "/lib/systemd",
                    "/run/systemd",
                    "/proc",
                    "/sys",
                    "/dev",
                    "/boot");

    /**
     * Bounds what may be touched.
     *
     * @throws IllegalArgumentException with one sentence when a root is too wide, or a name is none
     *     of a unit or container
     */
    public LocalPolicy {
        roots = List.copyOf(roots);
        units = Set.copyOf(units);
        containers = Set.copyOf(containers);
        hosts = Set.copyOf(hosts);
        roots.forEach(LocalPolicy::requireAllowedRoot);
        units.forEach(unit -> requireValidName(unit, "[A-Za-z0-9:_.@-]+\\.service", "unit"));
        containers.forEach(
                name -> requireValidName(name, "[A-Za-z0-9][A-Za-z0-9_.-]*", "container"));
    }

    /** Bounds what may be touched, and asks for no signatures. */
    public LocalPolicy(
            boolean bounded,
            List<NodePath> roots,
            Set<String> units,
            Set<String> containers,
            Set<String> hosts) {
        this(bounded, roots, units, containers, hosts, new SignaturePolicy.None());
    }

    /** Bounds what may be touched, with the strictest limits for command lines and probes. */
    public LocalPolicy(
            boolean bounded,
            List<NodePath> roots,
            Set<String> units,
            Set<String> containers,
            Set<String> hosts,
            SignaturePolicy signatures) {
        this(bounded, roots, units, containers, hosts, signatures, LaunchAndProbePolicy.NONE);
    }

    /** Policy for an operator's own command, which runs this cluster driver only. */
    public static LocalPolicy ofDriver(NodePath executable) {
        return new LocalPolicy(
                true,
                List.of(),
                Set.of(),
                Set.of(),
                Set.of(),
                new SignaturePolicy.None(),
                new LaunchAndProbePolicy(
                        Set.of(),
                        LaunchAndProbePolicy.DEFAULT_USER,
                        List.of(),
                        Set.of(),
                        Set.of(executable),
                        false));
    }

    private static void requireAllowedRoot(NodePath root) {
        for (String never : NEVER) {
            if (isIn(never, root.value()) || isIn(root.value(), never)) {
                throw new IllegalArgumentException(
                        "The policy lists root "
                                + root
                                + ", which reaches "
                                + never
                                + ": list directories of the programs alone.");
            }
        }
    }

    private static void requireValidName(String name, String grammar, String what) {
        if (!name.matches(grammar)) {
            throw new IllegalArgumentException(
                    "The policy lists '" + name + "', which is no name of a " + what + ".");
        }
    }

    private static boolean isIn(String path, String directory) {
        return path.equals(directory) || path.startsWith(directory + "/");
    }

    /** Whether this file may be written: it lies under a root, or is a listed unit's own. */
    public boolean mayWrite(NodePath path) {
        return !bounded || findRoot(path).isPresent();
    }

    /** The listed root under which a path lies, or the directory of a listed unit's own file. */
    public Optional<NodePath> findRoot(NodePath path) {
        if (isListedUnitFile(path.value())) {
            return Optional.of(UNITS);
        }
        return roots.stream()
                .filter(root -> path.value().startsWith(root.value() + "/"))
                .max(Comparator.comparingInt(root -> root.value().length()));
    }

    private boolean isListedUnitFile(String path) {
        for (String unit : units) {
            String own = UNITS + "/" + unit;
            boolean dropIn = path.startsWith(own + ".d/") && path.endsWith(".conf");
            if (path.equals(own) || (dropIn && path.indexOf('/', own.length() + 3) < 0)) {
                return true;
            }
        }
        return false;
    }

    /** Whether this unit may be started and stopped. */
    public boolean mayControlUnit(String unit) {
        return !bounded || units.contains(unit);
    }

    /** Whether the container of this name may be replaced. */
    public boolean mayControlContainer(String name) {
        return !bounded || containers.contains(name);
    }

    /** States why this program may not be launched or probed as specified; empty if it may. */
    public Optional<String> findRefusal(ProgramSpec spec) {
        return bounded ? programs.findRefusal(spec) : Optional.empty();
    }

    /** States why a probe may not run this command; empty if it may. */
    public Optional<String> findRefusal(List<String> probeCommand) {
        return bounded ? programs.findRefusal(probeCommand) : Optional.empty();
    }

    /**
     * States why this executable may not be run as a cluster driver; empty if it may. A node
     * without a policy allows none: a driver lies outside of the programs that the agent installs.
     */
    public Optional<String> findDriverRefusal(String executable) {
        return programs.findDriverRefusal(executable);
    }

    /** Whether an agent may replace this one although nobody signed it. */
    public boolean allowsUnsignedAgent() {
        return !bounded || programs.unsignedAgent();
    }

    /** The roots, for a sentence. */
    public String rootsText() {
        return roots.isEmpty()
                ? "none"
                : String.join(", ", new TreeSet<>(roots.stream().map(NodePath::value).toList()));
    }
}
